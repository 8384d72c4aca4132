import { fileURLToPath } from 'node:url';
import { statSync } from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LIMITS } from '#lib/contract/limits.ts';
import { captureConsole, createLogWriter } from './console-capture.ts';
import { DESCRIPTION_TOO_LARGE, descriptionText, createHostLink } from './host-link.ts';
import { describeExports } from './describe-exports.ts';
import { createExtensionProgram } from './extension-program.ts';
import type { ExtensionProgram } from './extension-program.ts';
import { dropPermissions, explainExit, importModule, setEnvironment } from './load-module.ts';
import { PROTOCOL_VERSION, LOADED_MOST, OWNER_VARIABLE } from '../messages.ts';
import type { FailureReport, HostMessage, LoadMessage } from '../messages.ts';
import { replaceStandardStreams } from './standard-streams.ts';
import { createSchemaCompiler } from './validators.ts';
import { warmUp } from './warm-up.ts';
import type { LoadedFile } from '../runtime.ts';
import { withInnerErrors, messageOf, readField } from './inner-errors.ts';
import { missingModule, missingPermission, truncateMessage } from './thrown.ts';
import { readStack } from './stack-frames.ts';

/**
 * The program in an extension's process: drops permissions, imports the extension, answers the host. The host is trusted; the
 * extension may throw, print, block, exit or replace any global at any moment.
 */
const CHILD_PROGRAM = fileURLToPath(import.meta.url);
const link = createHostLink((header, payload) => handle(header, payload));
const writer = createLogWriter(link, CHILD_PROGRAM);
const compiler = createSchemaCompiler();
let program: ExtensionProgram | null = null;
let loading: LoadMessage | null = null;
/** A permission could not be dropped: import nothing. */
let isRefused = false;
let loaded: LoadedFiles | null = null;
let toolsPayload: { readonly isEager: boolean; readonly text: string } | null = null;

replaceStandardStreams();
captureConsole(writer, () => program?.calls.currentCall() ?? 0);
process.on('uncaughtException', (error) => onStray(error, 'exception'));
process.on('unhandledRejection', (error) => onStray(error, 'rejection'));
link.send({ type: 'hello', protocolVersion: PROTOCOL_VERSION });
const stopWarmUp = warmUp(compiler);

function handle(header: Readonly<Record<string, unknown>>, payload: Buffer): void {
  const message = header as unknown as HostMessage;
  switch (message.type) {
    case 'cut':
      isRefused ||= !dropPermissions(message);
      if (isRefused) link.send({ type: 'refused' });
      return;
    case 'load':
      void load(message);
      return;
    case 'tools':
      toolsPayload = { isEager: message.eager, text: payload.toString('utf8') };
      becomeReady();
      return;
    default:
      program?.handle(message, payload);
  }
}

async function load(message: LoadMessage): Promise<void> {
  stopWarmUp();
  if (isRefused || !dropPermissions(message)) {
    link.send({ type: 'refused' });
    return;
  }
  loading = message;
  const mark = process.env[OWNER_VARIABLE];
  setEnvironment(message.environment);
  markChildProcesses(mark);
  const { ownFolders } = message;
  const exit = process.exit;
  process.exit = (code) => {
    link.send({ type: 'exiting' }, JSON.stringify(explainExit(code, ownFolders, CHILD_PROGRAM)));
    return exit(code);
  };
  const activity = followActivity();
  try {
    loaded = followLoads(ownFolders, (files) => link.send({ type: 'loaded' }, JSON.stringify(files)));
    const exports = await importModule(message.program);
    const changed = settlePrototype();
    if (changed !== null) {
      fail(changed);
      return;
    }
    // After `settlePrototype`: before it, JSON contains additions of the file to every object.
    loaded.flush();
    program = createExtensionProgram({ load: message, exports, link, writer, compiler, childProgram: CHILD_PROGRAM, activity });
    if (message.describe) {
      const described = describeExports(exports);
      const text = described.ok ? descriptionText(described.raw) : null;
      if (text !== null) link.send({ type: 'raw' }, text);
      else fail({ code: 'tool_invalid', message: described.ok ? DESCRIPTION_TOO_LARGE : described.message });
    }
  } catch (error) {
    failImport(error, message);
    return;
  }
  becomeReady();
}

/** Handles and timers beyond those of this program itself, such as an open server or a running interval. */
function followActivity(): () => string | null {
  const own = countResources();
  return () => {
    const found = [...countResources()].find(([kind, count]) => count > (own.get(kind) ?? 0));
    return found === undefined ? null : found[0].slice(0, 100);
  };
}

/** The extension may replace it. */
const activeResources = process.getActiveResourcesInfo.bind(process);

function countResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of activeResources()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** The schemas may arrive before the import is complete. */
function becomeReady(): void {
  if (program === null || toolsPayload === null) return;
  const failure = program.setTools(toolsPayload.text, toolsPayload.isEager);
  toolsPayload = null;
  if (failure === null) link.send({ type: 'ready' });
  else fail(failure);
}

/** During the import an uncaught error is the load failure; later it belongs to no call. */
function onStray(error: unknown, origin: 'exception' | 'rejection'): void {
  if (program !== null) program.onStray(error, origin);
  else if (loading !== null) failImport(error, loading);
}

function failImport(error: unknown, { extension, program: file, ownFolders }: LoadMessage): void {
  loaded?.flush();
  fail(explainImport(error, { extension, program: file, ownFolders, childProgram: CHILD_PROGRAM }));
}

function fail(report: FailureReport): void {
  link.send({ type: 'failed' }, JSON.stringify(report));
}

/**
 * Reports files that the process loads beside its program: through a computed specifier, through `createRequire`, and their
 * imports. Their facts are taken before they are read, so a save in between counts as a change.
 */
interface LoadedFiles {
  /** Reports the files loaded so far; later ones are reported soon after loading. */
  flush(): void;
}

function followLoads(ownFolders: readonly string[], report: (files: readonly LoadedFile[]) => void): LoadedFiles {
  const seen = new Set<string>();
  let unreported: LoadedFile[] = [];
  let isReporting = false;
  let waiting: NodeJS.Immediate | null = null;

  const flush = (): void => {
    waiting = null;
    if (unreported.length > 0) report(unreported);
    unreported = [];
  };

  const note = (url: string): void => {
    if (seen.has(url) || seen.size >= LOADED_MOST || !url.startsWith('file:')) return;
    const path = fileURLToPath(url);
    if (!ownFolders.some((folder) => path.startsWith(folder + sep)) || path.split(sep).includes('node_modules')) return;
    seen.add(url);
    const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (facts?.isFile() !== true) return;
    unreported.push({
      path,
      size: Number(facts.size),
      mtimeNs: String(facts.mtimeNs),
      ctimeNs: String(facts.ctimeNs),
      ino: String(facts.ino),
    });
    if (isReporting) waiting ??= setImmediate(flush);
  };

  registerHooks({
    resolve(specifier, context, nextResolve) {
      const found = nextResolve(specifier, context);
      try {
        note(found.url);
      } catch {
        // Load the file even if it cannot be reported.
      }
      return found;
    },
  });

  return {
    flush() {
      isReporting = true;
      flush();
    },
  };
}

/**
 * Programs that an extension starts get the mark of its process, in any environment, so that leftovers can be found and
 * ended with the process. The extension does not see the mark among its variables.
 *
 * What can go wrong: a Node release moves the wrapped functions (programs are then found by their process group alone).
 */
function markChildProcesses(mark: string | undefined): void {
  if (mark === undefined || process.permission?.has('child') === false) return;
  const module = process.getBuiltinModule('node:child_process');
  carryThroughSpawn(module, `${OWNER_VARIABLE}=${mark}`);
  for (const name of ['spawnSync', 'execSync', 'execFileSync'] as const) carryThroughSync(module, name, mark);
  syncBuiltinESMExports();
}

/** All asynchronous ways to start a program use `spawn`. */
function carryThroughSpawn(module: object, pair: string): void {
  const ChildProcess: unknown = Reflect.get(module, 'ChildProcess');
  const prototype: unknown = typeof ChildProcess === 'function' ? ChildProcess.prototype : undefined;
  if (!isObject(prototype)) return;
  const spawn: unknown = Reflect.get(prototype, 'spawn');
  if (typeof spawn !== 'function') return;
  Reflect.set(prototype, 'spawn', function (this: unknown, options: unknown, ...rest: unknown[]): unknown {
    const pairs: unknown = isObject(options) ? Reflect.get(options, 'envPairs') : undefined;
    if (Array.isArray(pairs)) pairs.push(pair);
    const made: unknown = Reflect.apply(spawn, this, [options, ...rest]);
    return made;
  });
}

function carryThroughSync(module: object, name: string, mark: string): void {
  const run: unknown = Reflect.get(module, name);
  if (typeof run !== 'function') return;
  const carrying = (...args: unknown[]): unknown => {
    const at = args.findIndex((value, place) => place > 0 && isObject(value) && !Array.isArray(value));
    const given = args[at];
    const options: object = isObject(given) ? given : {};
    const env: unknown = Reflect.get(options, 'env');
    const marked = { ...options, env: { ...(isObject(env) ? env : process.env), [OWNER_VARIABLE]: mark } };
    const made: unknown = Reflect.apply(run, undefined, at < 0 ? [...args, marked] : args.with(at, marked));
    return made;
  };
  Reflect.set(module, name, Object.defineProperty(carrying, 'name', { value: name }));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * Properties that an extension or package adds to `Object.prototype` appear on every object of its process, also on those used to
 * describe, validate and answer. Most are harmless once they are not enumerable.
 */
const OWN = new Set(Reflect.ownKeys(Object.prototype));
/** Read from any object by `JSON.stringify`, by `await`, by `Object.defineProperty`. */
const READ_BY_LANGUAGE = ['toJSON', 'then', 'get', 'set', 'value', 'writable', 'enumerable', 'configurable'];

/** Makes additions non-enumerable. Removes those that cannot stay, and reports them; null if there are none. */
function settlePrototype(): FailureReport | null {
  const added = Reflect.ownKeys(Object.prototype).filter((name) => typeof name === 'string' && !OWN.has(name));
  if (added.length === 0) return null;
  const before = new Map(added.map((name) => [name, Object.getOwnPropertyDescriptor(Object.prototype, name)]));
  const undeletable = added.filter((name) => !Reflect.deleteProperty(Object.prototype, name));
  const { keywords } = new Ajv2020({ strict: false }).RULES;
  const isRead = (name: string | symbol): boolean => READ_BY_LANGUAGE.includes(String(name)) || Object.hasOwn(keywords, name);
  const harmful = added.filter((name) => isRead(name) || (undeletable.includes(name) && before.get(name)?.enumerable === true));
  for (const [name, property] of before) {
    if (property !== undefined && !harmful.includes(name))
      Object.defineProperty(Object.prototype, name, { ...property, enumerable: false });
  }
  if (harmful.length === 0) return null;
  const names = harmful.slice(0, 10).map((name) => `\`${String(name).slice(0, 100)}\``);
  return {
    code: 'import_error',
    message: `The file adds ${names.join(', ')} to \`Object.prototype\`: every object in its process then has this property, so its tools can be neither validated nor called.`,
    hint: 'Use a function or a class instead, or add it only to the objects that need it.',
  };
}

/**
 * Explains why a module could not be imported, with the location. Node's messages name the built program ("imported from
 * /…/program.mjs"), which its author does not know; this part is removed.
 */
interface ImportPlace {
  readonly extension: string;
  readonly program: string;
  readonly ownFolders: readonly string[];
  /** This program's own file: never shown. */
  readonly childProgram: string;
}

function explainImport(thrown: unknown, place: ImportPlace): FailureReport {
  const { text, first } = readStack(thrown, place.ownFolders, place.childProgram);
  const at = first === null || first.file === null ? {} : { file: first.file, line: first.line, column: first.column };
  const shared = { ...at, ...(text === null ? {} : { stack: text.slice(0, 4 * LIMITS.errorMessageBytes) }) };
  const message = messageOf(thrown);
  const code = readField(thrown, 'code');

  const refused = missingPermission(thrown, place.extension);
  if (refused !== null)
    return {
      code: 'import_error',
      message: refused,
      hint: `Grant the permission with EXTENSION_ALLOW, or move the code that needs it out of this file.`,
      ...shared,
    };
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') {
    return { code: 'import_unresolved', message: truncateMessage(missingModule(thrown) ?? `${withoutImporter(message)}.`), ...shared };
  }
  if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED' || code === 'ERR_UNSUPPORTED_DIR_IMPORT' || code === 'ERR_UNKNOWN_BUILTIN_MODULE') {
    return { code: 'import_unresolved', message: truncateMessage(withoutImporter(message)), ...shared };
  }
  if (readField(thrown, 'name') === 'SyntaxError') {
    const imported = /does not provide an export named '(.+)'|Named export '(.+)' not found/.exec(message);
    if (imported !== null) {
      return {
        code: 'import_unresolved',
        message: truncateMessage(message),
        hint: 'Check the spelling of the imported name, and which version of the package is installed.',
        subject: ['import', (imported[1] ?? imported[2] ?? '').slice(0, 200)],
        ...shared,
      };
    }
    if (isParseError(thrown)) return { code: 'syntax_error', message: truncateMessage(message), ...shared };
  }
  const name = readField(thrown, 'name');
  const named =
    typeof name === 'string' && name !== 'Error' && !message.startsWith(name) && thrown instanceof Error ? `${name}: ${message}` : message;
  return { code: 'import_error', message: truncateMessage(withInnerErrors(named, thrown)), ...subjectOf(thrown, text), ...shared };
}

/** Without a stack the loader searches for the statement that threw. */
function subjectOf(thrown: unknown, stack: string | null): Pick<FailureReport, 'subject'> {
  if (stack !== null || thrown instanceof Error) return {};
  return { subject: ['throw', ...(typeof thrown === 'object' && thrown !== null ? [] : [String(thrown).slice(0, 200)])] };
}

function withoutImporter(message: string): string {
  const cut = message.split('\n')[0] ?? message;
  return cut.replace(/ imported from .*$/, '').replace(/\.$/, '');
}

/** V8 rejected the text of a module, as opposed to a `JSON.parse` or `new Function` that threw in it. */
function isParseError(thrown: unknown): boolean {
  const stack = readField(thrown, 'stack');
  if (typeof stack !== 'string') return false;
  const first = stack.split('\n').find((line) => /^\s+at /.test(line)) ?? '';
  return /\b(?:compileSourceTextModule|wrapSafe|compileFunctionForCJSLoader)\b/.test(first);
}
