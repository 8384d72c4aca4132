import { fileURLToPath } from 'node:url';
import { markChildProcesses } from './mark-child-processes.ts';
import { settlePrototype } from './object-prototype.ts';
import { captureConsole, createLogWriter } from './console-capture.ts';
import { DESCRIPTION_TOO_LARGE, descriptionText } from './description-text.ts';
import { describeExports } from './describe-exports.ts';
import { createExtensionProgram } from './extension-program.ts';
import { followLoads } from './loaded-files.ts';
import { createHostLink } from './host-link.ts';
import { explainImport } from './import-failure.ts';
import { dropRights, explainExit, importModule, setEnvironment } from './load-module.ts';
import { PROTOCOL_VERSION } from '../messages.ts';
import { OWNER_VARIABLE } from '../owner-variable.ts';
import { replaceStandardStreams } from './standard-streams.ts';
import { createSchemaCompiler } from './validators.ts';
import { warmUp } from './warm-up.ts';
import type { LoadedFiles } from './loaded-files.ts';
import type { ExtensionProgram } from './extension-program.ts';
import type { FailureReport, HostMessage, LoadMessage } from '../messages.ts';

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
let toolsPayload: { readonly compile: 'now' | 'soon' | 'when called'; readonly text: string } | null = null;

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
      isRefused ||= !dropRights(message);
      if (isRefused) link.send({ type: 'refused' });
      return;
    case 'load':
      void load(message);
      return;
    case 'tools':
      toolsPayload = { compile: !message.eager ? 'when called' : message.known === true ? 'soon' : 'now', text: payload.toString('utf8') };
      becomeReady();
      return;
    default:
      program?.handle(message, payload);
  }
}

async function load(message: LoadMessage): Promise<void> {
  stopWarmUp();
  if (isRefused || !dropRights(message)) {
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
    // After `settlePrototype`: before it, JSON contains what the file added to every object.
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
  const failure = program.setTools(toolsPayload.text, toolsPayload.compile);
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
