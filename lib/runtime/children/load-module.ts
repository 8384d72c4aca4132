import { pathToFileURL } from 'node:url';
import { CHANNEL_ABOUT_EXPORT, RUN_PLAN_EXPORT, type RunPlan } from '#lib/contract/run-plan.ts';
import { readStack } from './stack-frames.ts';
import type { CutMessage, FailureReport } from '../messages.ts';
import { createDateReviver } from './revive-dates.ts';

export type ModuleExports = Readonly<Record<string, unknown>>;

/** A callable entry of TOOL or TOOLS. */
export interface ToolEntry {
  readonly tool: object;
  readonly name: unknown;
}

/** Drops the permissions that this extension lacks. False: one is still effective, and this process must not run it. */
export function dropPermissions(message: Pick<CutMessage, 'drops' | 'mustNotHave'>): boolean {
  const { permission } = process;
  if (permission === undefined) return false;
  try {
    for (const [right, path] of message.drops) permission.drop(right, path);
    return message.mustNotHave.every(([right, path]) => !permission.has(right, path));
  } catch {
    return false;
  }
}

const PERMISSION_FLAG = /^--(?:permission|allow-)/;

/**
 * Replaces the environment; common variables of a prewarmed process are removed. Node would add its permission flags to NODE_OPTIONS
 * of each program that the extension starts, so that npm and other programs of Node could not read their own files.
 */
export function setEnvironment(environment: Readonly<Record<string, string>>): void {
  process.execArgv = process.execArgv.filter((flag) => !PERMISSION_FLAG.test(flag));
  for (const name of Object.keys(process.env)) {
    if (!Object.hasOwn(environment, name)) Reflect.deleteProperty(process.env, name);
  }
  for (const [name, value] of Object.entries(environment)) process.env[name] = value;
}

export async function importModule(program: string): Promise<ModuleExports> {
  const namespace: unknown = await import(pathToFileURL(program).href);
  return pickExports(namespace);
}

/** `module.exports = { TOOL }` arrives as the default export only. */
function pickExports(namespace: unknown): ModuleExports {
  if (!isObject(namespace)) return {};
  const names = Object.keys(namespace).filter((name) => name !== 'module.exports');
  const plain = names.filter((name) => name !== RUN_PLAN_EXPORT && name !== CHANNEL_ABOUT_EXPORT);
  const inner: unknown = plain.length === 1 && plain[0] === 'default' ? Reflect.get(namespace, 'default') : null;
  if (isObject(inner) && (Object.hasOwn(inner, 'TOOL') || Object.hasOwn(inner, 'TOOLS'))) return viewOf(inner, Object.keys(inner));
  const whole: unknown = Reflect.get(namespace, 'default');
  return viewOf(
    namespace,
    typeof whole === 'function' || isObject(whole) ? names.filter((name) => isExported(namespace, whole, name)) : names,
  );
}

/** The program of a CommonJS file lists every export that the file may have; its default export has the actual ones. */
function isExported(namespace: object, whole: object, name: string): boolean {
  return Reflect.get(namespace, name) !== undefined || name in whole;
}

/** Reads properties on access: an exported binding may change, a getter may throw. */
function viewOf(target: object, names: readonly string[]): ModuleExports {
  const view: Record<string, unknown> = {};
  for (const name of names) Object.defineProperty(view, name, { enumerable: true, get: (): unknown => Reflect.get(target, name) });
  return view;
}

/** The tools in export order; non-objects become null, so that indexes stay correct. */
export function toolEntries(exports: ModuleExports): readonly (ToolEntry | null)[] {
  const list = readList(exports);
  return list.map((tool) => (isObject(tool) ? { tool, name: readName(tool) } : null));
}

function readList(exports: ModuleExports): readonly unknown[] {
  try {
    if (Object.hasOwn(exports, RUN_PLAN_EXPORT)) return [createRunTool(exports)];
    const tools: unknown = exports['TOOLS'];
    if (tools !== undefined) return Array.isArray(tools) ? Array.from<unknown>(tools) : [];
    return Object.hasOwn(exports, 'TOOL') ? [exports['TOOL']] : [];
  } catch {
    return [];
  }
}

function readName(tool: object): unknown {
  try {
    return Reflect.get(tool, 'name');
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Reports where a program ended its own process; the exit code alone does not say. */
export function explainExit(code: string | number | null | undefined, ownFolders: readonly string[], childProgram: string): FailureReport {
  const { text, first } = readStack(new Error('process.exit was called'), ownFolders, childProgram);
  const shown = code === undefined || code === null ? '' : String(code);
  return {
    code: 'process_exited',
    message: `The file ended its own process by process.exit(${shown})`,
    ...(first === null || first.file === null ? {} : { file: first.file, line: first.line, column: first.column }),
    ...(text === null ? {} : { stack: text }),
  };
}

/** The builder's plan in the program of a one-file tool; null in other programs. */
export function runPlanOf(exports: Readonly<Record<string, unknown>>): RunPlan | null {
  // From the builder, of the same version as this program: trusted.
  return Object.hasOwn(exports, RUN_PLAN_EXPORT) ? (exports[RUN_PLAN_EXPORT] as RunPlan) : null;
}

/** The exported `run` as a tool: maps the arguments of a call to the function's parameters, in order. */
export function createRunTool(exports: Readonly<Record<string, unknown>>): object | null {
  const plan = runPlanOf(exports);
  if (plan === null) return null;
  const revive = createDateReviver(plan.hints?.parameters ?? {}, plan.dates);
  return {
    name: plan.name,
    execute(args: Record<string, unknown>, context: unknown): unknown {
      const { run } = exports;
      if (typeof run !== 'function') throw new Error(`\`run\` of ${plan.name} is no longer a function; something in the file replaced it`);
      return Reflect.apply(run, undefined, inOrder(plan, revive(args), context));
    },
  };
}

function inOrder(plan: RunPlan, args: unknown, context: unknown): readonly unknown[] {
  const given = typeof args === 'object' && args !== null ? args : {};
  const read = (name: string): unknown => (Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined);
  return plan.arguments.flatMap((argument): readonly unknown[] => {
    switch (argument.from) {
      case 'parameter':
        return [read(argument.name)];
      case 'rest': {
        const values = read(argument.name);
        return Array.isArray(values) ? values : [];
      }
      case 'object':
        return [argument.names === null ? given : pick(given, argument.names)];
      case 'context':
        return [context];
    }
  });
}

function pick(given: object, names: readonly string[]): object {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, Reflect.get(given, name)]));
}
