import fc from 'fast-check';
import type { JsonSchema } from '#lib/contract/tool.ts';
import { createSchemaCompiler } from '#lib/runtime/children/validators.ts';
import { withEdges } from './edge-arbitrary.ts';
import { createSchemaArbitraries } from './schema-arbitraries.ts';
import { isObject } from './schema-parts.ts';

/**
 * Arguments generated from a schema: valid ones with edge cases (empty, huge, Unicode, deep), and invalid ones. Each is checked
 * by the tool's validator and dropped if it has the wrong validity, so a generator need not know every keyword. What can go
 * wrong:
 * - hardly any generated value is usable: the caller counts the calls;
 * - the schema does not compile (`fault`);
 * - a pattern blocks the thread: the caller terminates it.
 */
export interface ProbeArguments {
  readonly valid: fc.Arbitrary<Arguments>;
  readonly invalid: fc.Arbitrary<Arguments>;
  isValid(given: unknown): boolean;
  /** A server accepts it as the body of a request, whether or not it is valid. */
  isSendable(given: unknown): boolean;
  /** Unsupported parts of the schema, as text; grows during generation. */
  readonly notes: ReadonlySet<string>;
  /** Why no arguments can be checked, or null. */
  readonly fault: string | null;
}

export type Arguments = Readonly<Record<string, unknown>>;

/** Size limit of a request without the envelope. */
const LARGEST = 524_288;
const DEEPEST = 60;
const FORBIDDEN_KEY = '"__proto__":';

/** @param examples known meaningful arguments, used where none can be generated */
export function createProbeArguments(parameters: JsonSchema, examples: readonly unknown[] = []): ProbeArguments {
  const compiled = createSchemaCompiler().compile(parameters);
  const { values, notes } = createSchemaArbitraries(parameters);
  const isValid = (given: unknown): boolean => {
    if (!compiled.ok || !isSendable(given)) return false;
    try {
      // Defaults are filled in, as before a call.
      return compiled.validate(structuredClone(given), true).length === 0;
    } catch {
      // A schema that refers to itself at the same place.
      return false;
    }
  };
  const known = examples.filter(isArguments).filter(isValid);
  const made = values.map((given): Arguments => (isArguments(given) ? given : {}));
  const valid = known.length === 0 ? made : withEdges(made, known, 10);
  return {
    valid,
    invalid: mutated(valid),
    isValid,
    isSendable,
    notes,
    fault: compiled.ok ? null : `The schema of the parameters${compiled.path} ${compiled.message}.`,
  };
}

function isSendable(given: unknown): boolean {
  const json = JSON.stringify(given);
  return depthOf(given) <= DEEPEST && json.length <= LARGEST && !json.includes(FORBIDDEN_KEY);
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce((deepest: number, part) => Math.max(deepest, depthOf(part)), 0);
}

function isArguments(value: unknown): value is Arguments {
  return isObject(value);
}

/**
 * Valid arguments changed at one place of any depth: a member or item removed, added or replaced. The caller drops those that
 * are still valid. Half of the changes are at the top level, where most tools have all parameters.
 */
function mutated(valid: fc.Arbitrary<Arguments>): fc.Arbitrary<Arguments> {
  return fc
    .tuple(valid, fc.nat(), fc.nat(), fc.constantFrom<Change>('remove', 'add', 'replace'), fc.jsonValue({ maxDepth: 2 }))
    .map(([given, where, which, change, value]) => {
      const places = partsWithParts(given);
      const place = places[where % (places.length * 2)] ?? given;
      return changed(given, place, which, change, value);
    });
}

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
