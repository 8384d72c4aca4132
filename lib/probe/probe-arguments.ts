import type fc from 'fast-check';
import type { JsonSchema } from '#lib/contract/tool.ts';
import { createSchemaCompiler } from '#lib/runtime/children/validators.ts';
import { withEdges } from './edge-arbitrary.ts';
import { createSchemaArbitraries } from './schema-arbitraries.ts';
import { isObject } from './schema-parts.ts';
import { spoiled } from './spoil-arguments.ts';

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
    invalid: spoiled(valid),
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
