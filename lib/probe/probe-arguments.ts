import type fc from 'fast-check';
import type { JsonSchema } from '#lib/contract/tool.ts';
import { createSchemaCompiler } from '#lib/runtime/children/validators.ts';
import { withEdges } from './edge-arbitrary.ts';
import { createSchemaArbitraries } from './schema-arbitraries.ts';
import { isObject } from './schema-parts.ts';
import { spoiled } from './spoil-arguments.ts';

/**
 * Arguments made up from a schema: valid ones, with the edges that break programs (empty, huge, unicode, deep), and invalid ones.
 * What is made is checked by the validator that stands before the tool, and what does not fit is dropped, so a generator need not
 * know every keyword. What can go wrong: hardly anything of what is made fits (whoever asks counts what was answered); the schema
 * cannot be compiled at all (`fault`); a pattern keeps the thread for ever (whoever runs this ends it from outside).
 */
export interface ProbeArguments {
  readonly valid: fc.Arbitrary<Arguments>;
  readonly invalid: fc.Arbitrary<Arguments>;
  isValid(given: unknown): boolean;
  /** What of the schema could not be followed, in words; grows while arguments are made. */
  readonly notes: ReadonlySet<string>;
  /** Why nothing can be said about any arguments, or null. */
  readonly fault: string | null;
}

export type Arguments = Readonly<Record<string, unknown>>;

/** What a request may hold, less what stands around the arguments. */
const LARGEST = 524_288;
const DEEPEST = 60;

/** @param examples arguments that are known to mean something, for where none can be made up */
export function createProbeArguments(parameters: JsonSchema, examples: readonly unknown[] = []): ProbeArguments {
  const compiled = createSchemaCompiler().compile(parameters);
  const { values, notes } = createSchemaArbitraries(parameters);
  const isValid = (given: unknown): boolean => {
    if (!compiled.ok || !isSendable(given)) return false;
    try {
      // Defaults are filled in, as they are before a call.
      return compiled.validate(structuredClone(given), true).length === 0;
    } catch {
      // A schema that asks of a value what it asks of the same value again.
      return false;
    }
  };
  const known = examples.filter(isArguments).filter(isValid);
  const made = values.map((given): Arguments => (isArguments(given) ? given : {}));
  const valid = known.length === 0 ? made : withEdges(made, known, 10);
  return {
    valid,
    invalid: spoiled(valid),
    isValid,
    notes,
    fault: compiled.ok ? null : `The schema of the parameters${compiled.path} ${compiled.message}.`,
  };
}

function isSendable(given: unknown): boolean {
  return depthOf(given) <= DEEPEST && JSON.stringify(given).length <= LARGEST;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce((deepest: number, part) => Math.max(deepest, depthOf(part)), 0);
}

function isArguments(value: unknown): value is Arguments {
  return isObject(value);
}
