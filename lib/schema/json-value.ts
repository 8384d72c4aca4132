/** Mark of an object such as `z.string()`, or of a class of pydantic. */
export const LIBRARY_SCHEMA = 'library schema';

/** Placeholder of a child for a value that JSON cannot represent: `{ "@@type": "function" }`. Null for other values. */
export function markOf(value: unknown): string | null {
  if (!isObject(value) || !Object.hasOwn(value, '@@type')) return null;
  const mark = value['@@type'];
  return typeof mark === 'string' ? mark : 'unknown';
}

/** A JSON object; neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own key with a value: `undefined` counts as absent. */
export function has(object: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(object, key) && object[key] !== undefined && markOf(object[key]) !== 'undefined';
}

/** "a string", "a list", "a function": type of a value for a sentence. */
export function kindOf(value: unknown): string {
  const mark = markOf(value);
  if (mark === 'undefined' || value === undefined) return 'undefined';
  if (mark === 'circular') return 'a value that contains itself';
  if (mark === 'accessor') return 'a getter';
  if (mark === LIBRARY_SCHEMA) return 'the object of a schema library';
  if (mark === 'number' && isObject(value) && typeof value['text'] === 'string') return value['text'].slice(0, 40);
  if (mark !== null) return mark === 'unknown' ? 'something that is not JSON' : `a ${mark}`;
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'bigint') return 'a number';
  return `a ${typeof value}`;
}
