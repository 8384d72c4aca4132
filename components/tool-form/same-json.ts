import { isJsonObject } from './json-text.ts';

/** Whether two JSON values are equal; the order of names does not count. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => sameJson(item, other[index]));
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && sameJson(one[name], other[name]))
  );
}
