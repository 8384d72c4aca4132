import fc from 'fast-check';
import { isObject } from './schema-parts.ts';

/**
 * Valid arguments changed at one place of any depth: a member or item removed, added or replaced. The caller drops those that
 * are still valid. Half of the changes are at the top level, where most tools have all parameters.
 */
export function spoiled(valid: fc.Arbitrary<Arguments>): fc.Arbitrary<Arguments> {
  return fc
    .tuple(valid, fc.nat(), fc.nat(), fc.constantFrom<Change>('remove', 'add', 'replace'), fc.jsonValue({ maxDepth: 2 }))
    .map(([given, where, which, change, value]) => {
      const places = partsWithParts(given);
      const place = places[where % (places.length * 2)] ?? given;
      return changed(given, place, which, change, value);
    });
}

type Arguments = Readonly<Record<string, unknown>>;
type Change = 'remove' | 'add' | 'replace';
type Part = Arguments | readonly unknown[];

const EXTRA = 'not_a_parameter';
/** The first items of long lists suffice. */
const PLACES_MOST = 200;

/** The arguments, then every object and list in them. */
function partsWithParts(given: Arguments): readonly Part[] {
  const found: Part[] = [given];
  for (let at = 0; at < found.length && found.length < PLACES_MOST; at += 1)
    for (const part of Object.values(found[at] ?? {})) if (isPart(part)) found.push(part);
  return found;
}

function isPart(value: unknown): value is Part {
  return Array.isArray(value) || isObject(value);
}

function changed(given: Arguments, place: Part, which: number, change: Change, value: unknown): Arguments {
  if (place === given) return Object.fromEntries(entries(given, which, change, value));
  const follow = (part: unknown): unknown => {
    if (part === place)
      return Array.isArray(part) ? items(part, which, change, value) : Object.fromEntries(entries(place, which, change, value));
    if (Array.isArray(part)) return part.map(follow);
    return isObject(part) ? Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, follow(inner)])) : part;
  };
  return Object.fromEntries(Object.entries(given).map(([name, part]) => [name, follow(part)]));
}

function entries(place: Part, which: number, change: Change, value: unknown): readonly (readonly [string, unknown])[] {
  const all = Object.entries(place);
  const at = which % Math.max(all.length, 1);
  if (change === 'add' || all.length === 0) return [...all, [EXTRA, value]];
  return change === 'remove' ? all.toSpliced(at, 1) : all.map(([name, part], index) => [name, index === at ? value : part]);
}

function items(all: readonly unknown[], which: number, change: Change, value: unknown): readonly unknown[] {
  const at = which % Math.max(all.length, 1);
  if (change === 'add' || all.length === 0) return [...all, value];
  return change === 'remove' ? all.toSpliced(at, 1) : all.with(at, value);
}
