import { types } from 'node:util';
import { LIMITS } from '#lib/contract/limits.ts';
import { CHANNEL_ABOUT_EXPORT, MODULE_STATE_EXPORT, RUN_PLAN_EXPORT } from '#lib/contract/run-plan.ts';
import { runPlanOf } from './load-module.ts';
import type { RawDescription } from '../runtime.ts';

/**
 * A module's exports as JSON. Values are untrusted: getters may throw, lists may be endless, objects may be circular. Unsupported
 * values become a mark `{ "@@type": … }`, so that validation can name them; depth and number of values are bounded.
 */
export type DescribeOutcome = { readonly ok: true; readonly raw: RawDescription } | { readonly ok: false; readonly message: string };

const DESCRIBED = [
  'TOOL',
  'TOOLS',
  'NAME',
  'name',
  'DESCRIPTION',
  'description',
  'INSTRUCTIONS',
  'instructions',
  'KEEP_ALIVE',
  'run',
  'connect',
  'recv',
  'send',
];
/** Added by the builder. */
const OWN_EXPORTS: ReadonlySet<string> = new Set([RUN_PLAN_EXPORT, CHANNEL_ABOUT_EXPORT, MODULE_STATE_EXPORT]);
/** Fields of a tool; for a class instance some are getters and methods of the class. */
const TOOL_FIELDS = ['label', 'name', 'description', 'parameters', 'execute', 'annotations', 'timeout_ms', 'output_schema', 'examples'];
const MAX_EXPORTS = 200;
const MAX_DEPTH = 64;
const MAX_VALUES = 200_000;
const MAX_CHARACTERS = 4_194_304;

export function describeExports(exports: Readonly<Record<string, unknown>>): DescribeOutcome {
  const marking = createMarking();
  try {
    const values: Record<string, unknown> = {};
    for (const name of DESCRIBED) {
      if (Object.hasOwn(exports, name)) values[name] = marking.read(exports, name, 0);
    }
    const hints: unknown = exports[CHANNEL_ABOUT_EXPORT] ?? runPlanOf(exports)?.hints ?? null;
    const sendParameters = parametersOf(exports, 'send');
    const warnings = toolWarnings(exports);
    const names = Object.keys(exports)
      .filter((name) => !OWN_EXPORTS.has(name))
      .slice(0, MAX_EXPORTS)
      .map((name) => name.slice(0, 200));
    return {
      ok: true,
      raw: {
        exports: names,
        values,
        hasStatus: isCallable(exports, 'status'),
        hasState: exports[MODULE_STATE_EXPORT] !== false,
        ...(hints === null ? {} : { hints }),
        ...(sendParameters === null ? {} : { sendParameters }),
        ...(warnings.every((each) => each.length === 0) ? {} : { toolWarnings: warnings }),
      },
    };
  } catch (error) {
    if (error instanceof TooMuch) return { ok: false, message: error.message };
    throw error;
  }
}

class TooMuch extends Error {}

/** For each tool, in their order; a one-file tool is the only one. */
function toolWarnings(exports: Readonly<Record<string, unknown>>): readonly (readonly string[])[] {
  if (runPlanOf(exports) !== null) return [blockingWarnings(read(exports, 'run'), 'run')];
  const tools = read(exports, 'TOOLS');
  if (!Array.isArray(tools)) return [blockingWarnings(read(read(exports, 'TOOL'), 'execute'), 'execute')];
  const count = Math.min(tools.length, LIMITS.toolsPerExtension);
  return Array.from({ length: count }, (_, at) => blockingWarnings(read(read(tools, String(at)), 'execute'), 'execute'));
}

function read(target: unknown, key: string): unknown {
  try {
    return typeof target === 'object' && target !== null ? Reflect.get(target, key) : undefined;
  } catch {
    return undefined;
  }
}

function isCallable(target: object, name: string): boolean {
  try {
    return typeof Reflect.get(target, name) === 'function';
  } catch {
    return false;
  }
}

/** Number of parameters before the first with a default; null if there is no such function. */
function parametersOf(target: object, name: string): number | null {
  try {
    const run: unknown = Reflect.get(target, name);
    return typeof run === 'function' && Number.isSafeInteger(run.length) ? run.length : null;
  } catch {
    return null;
  }
}

function mark(type: string, more: Readonly<Record<string, string>> = {}): unknown {
  return { '@@type': type, ...more };
}

function createMarking() {
  let values = 0;
  let characters = 0;
  const ancestors = new Set<object>();

  const text = (value: string): string => {
    characters += value.length;
    if (characters > MAX_CHARACTERS)
      throw new TooMuch(`The tool descriptions contain more than ${MAX_CHARACTERS} characters. Shorten the descriptions and schemas.`);
    return value.toWellFormed();
  };

  const read = (target: object, key: string, depth: number): unknown => {
    let value: unknown;
    try {
      value = Reflect.get(target, key);
    } catch (error) {
      return mark('accessor', { message: error instanceof Error ? String(error.message).slice(0, 500) : 'it throws' });
    }
    return toMarked(value, depth);
  };

  const toMarked = (value: unknown, depth: number): unknown => {
    values += 1;
    if (values > MAX_VALUES) throw new TooMuch(`The tool descriptions contain more than ${MAX_VALUES} values. Make the schemas smaller.`);
    switch (typeof value) {
      case 'string':
        return text(value);
      case 'number':
        return Number.isFinite(value) ? value : mark('number', { text: String(value) });
      case 'boolean':
        return value;
      case 'bigint':
        return mark('bigint', { text: value.toString().slice(0, 100) });
      case 'undefined':
      case 'function':
      case 'symbol':
        return mark(typeof value);
      case 'object':
        break;
    }
    if (value === null) return null;
    if (ancestors.has(value)) return mark('circular');
    if (depth >= MAX_DEPTH) return mark('deep');
    ancestors.add(value);
    try {
      return toMarkedObject(value, depth);
    } finally {
      ancestors.delete(value);
    }
  };

  const toMarkedObject = (value: object, depth: number): unknown => {
    try {
      if (Array.isArray(value)) return Array.from({ length: value.length }, (_, at) => read(value, String(at), depth + 1));
      const kind = isLibrarySchema(value) ? 'library schema' : kindOf(value);
      if (kind !== null) return mark(kind);
      const copy: Record<string, unknown> = {};
      for (const key of [...Object.keys(value), ...inheritedFields(value)]) {
        Object.defineProperty(copy, text(key), {
          value: read(value, key, depth + 1),
          enumerable: true,
          configurable: true,
          writable: true,
        });
      }
      return copy;
    } catch (error) {
      if (error instanceof TooMuch) throw error;
      return mark('unreadable');
    }
  };

  return { read };
}

/**
 * Its own properties read like a schema, such as `{ type: 'string' }`, but are not: they lack its description and limits. A schema
 * that the library converted to JSON may have `~standard` too, but no methods.
 */
function isLibrarySchema(value: object): boolean {
  if ('_zod' in value) return true;
  return ('~standard' in value || '_def' in value) && ['parse', 'safeParse', 'validate'].some((name) => isCallable(value, name));
}

/** Plain objects inherit no fields. */
function inheritedFields(value: object): readonly string[] {
  return TOOL_FIELDS.filter((name) => name in value && !Object.hasOwn(value, name));
}

function kindOf(value: object): string | null {
  if (types.isPromise(value)) return 'promise';
  if (types.isDate(value)) return 'date';
  if (types.isRegExp(value)) return 'regexp';
  if (types.isMap(value)) return 'map';
  if (types.isSet(value)) return 'set';
  if (types.isNativeError(value)) return 'error';
  if (types.isAnyArrayBuffer(value) || types.isArrayBufferView(value)) return 'bytes';
  return null;
}

/**
 * Warnings about tools that block: Node functions with the suffix `Sync` block the entire process of the extension. Found in the
 * built text of the function itself; calls in other functions are not found.
 */
const FILES =
  'access|appendFile|chmod|copyFile|cp|lstat|mkdir|mkdtemp|opendir|readFile|readdir|readlink|realpath|rename|rm|rmdir|stat|symlink|unlink|writeFile';
const PROGRAMS = 'exec|execFile|spawn';
/** The bundler may append a number to a name that two files use. */
const CALL = new RegExp(String.raw`(?<![\w$])(?:(${PROGRAMS}|${FILES})Sync\d*|(Atomics\.wait))\s*\)?\s*\(`, 'gu');
const MOST = 3;

/** Empty for values that are not functions, and for functions without blocking calls. */
export function blockingWarnings(run: unknown, name: 'execute' | 'run'): readonly string[] {
  if (typeof run !== 'function') return [];
  const found = new Map<string, string>();
  for (const [, call, wait] of Function.prototype.toString.call(run).matchAll(CALL)) {
    if (wait !== undefined) found.set(wait, 'Await a timer of node:timers/promises');
    else if (call !== undefined && new RegExp(`^(?:${PROGRAMS})$`, 'u').test(call))
      found.set(`${call}Sync`, `Await \`${call}\` of node:child_process (by \`promisify\`, or its events)`);
    else if (call !== undefined) found.set(`${call}Sync`, `Await \`${call}\` of node:fs/promises`);
  }
  return [...found]
    .slice(0, MOST)
    .map(
      ([call, instead]) =>
        `\`${name}\` calls \`${call}\`, which blocks: until it returns, no other call of this extension can run or be cancelled. ${instead} instead.`,
    );
}
