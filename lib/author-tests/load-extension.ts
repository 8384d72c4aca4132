import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Call, callSchema } from '#lib/contract/call.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import type { ExtensionLogLine } from '#lib/contract/extension.ts';
import type { Failure } from '#lib/contract/failure.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { createHost } from '#lib/host/create-host.ts';
import type { Host } from '#lib/host/host.ts';
import { createLogger } from '#lib/host/logger.ts';
import { readConfig } from '#lib/host/read-config.ts';
import { cacheFolder, sharedEnvironments } from '#lib/host/shared-environments.ts';
import type { FailedCandidate } from '#lib/loader/scan.ts';
import { scanExtensions } from '#lib/loader/scanner.ts';

/**
 * 'switchboard/testing': runs one extension as the server does, in a process, with validation. What can go wrong: the load
 * fails, which rejects with the failure; other extensions in the folder, which are not loaded; a test without `close`, whose
 * process lives until the test process exits.
 */
export interface LoadedExtension {
  readonly id: string;
  readonly tools: readonly Tool[];
  /** Its WORKSPACE_ROOT, an empty folder deleted by `close`. */
  readonly workspace: string;
  /** Returns the result as JSON; rejects with a `CallFailure`. */
  call(tool: string, args?: Readonly<Record<string, unknown>>, options?: { readonly timeoutMs?: number }): Promise<unknown>;
  /** Result of its `status()`; null without one or without a process. */
  status(): Promise<Readonly<Record<string, unknown>> | null>;
  /** Output and logs, oldest first. */
  logs(): Promise<readonly ExtensionLogLine[]>;
  /** Stops its process and deletes its folders. Idempotent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface LoadExtensionOptions {
  /** Server settings, such as EXTENSION_ALLOW, and variables for EXTENSION_ENV; override those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A failed call: `kind` as `error.kind` of the API, or `refused` if it did not start. */
export class CallFailure extends Error {
  readonly kind: string;
  /** The call record; null if it did not start. */
  readonly call: Call | null;

  constructor(message: string, kind: string, call: Call | null) {
    super(message);
    this.name = 'CallFailure';
    this.kind = kind;
    this.call = call;
  }
}

/**
 * Loads the extension at `place`: its folder, its entry file, or a one-file tool or channel; a path or a `file:` URL. The
 * caller must close it.
 */
export async function loadExtension(place: string | URL, options: LoadExtensionOptions = {}): Promise<LoadedExtension> {
  const found = await findExtension(place);
  const made = await mkdtemp(path.join(tmpdir(), 'switchboard-test-'));
  const workspace = path.join(made, 'workspace');
  const remove = (): Promise<void> => rm(made, { recursive: true, force: true, maxRetries: 3 });
  let host: Host | null = null;
  try {
    await mkdir(workspace);
    const environment = { ...process.env, WORKSPACE_ROOT: workspace, ...options.env };
    const own = { EXTENSIONS_DIR: found.extensionsDir, DATA_DIR: path.join(made, 'data'), WATCH: 'off', EXTENSION_EXCLUDED_TOOLS: '' };
    const read = readConfig({ ...environment, ...own }, process.cwd());
    if (!read.ok) throw new Error(read.reason);
    const logger = createLogger({ write: () => undefined, readable: true, level: 'error' });
    const config = { ...read.config, excludedExtensions: found.others };
    const created = await createHost(config, logger, environment, {
      channelsOff: true,
      programsDir: cacheFolder('programs'),
      environmentsDir: sharedEnvironments(environment, process.cwd()),
    });
    if (!created.ok) throw new Error(created.reason);
    host = created.host;
    await host.ready;
    // With EXTENSION_DEPENDENCIES=auto the declared packages are installed first.
    await host.extensions.installsSettled();
    const failure = host.extensions.list().extensions.find(({ id }) => id === found.id)?.failure ?? null;
    if (failure !== null) throw new Error(failureText(failure));
    return extensionOf(host, found.id, config.workspaceRoot, remove);
  } catch (error) {
    await host?.close();
    await remove();
    throw error;
  }
}

function extensionOf(host: Host, id: string, workspace: string, remove: () => Promise<void>): LoadedExtension {
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => (closed ??= host.close().then(remove));
  const detail = async () => {
    const read = await host.extensions.get(id);
    if (!read.ok) throw new Error(read.problem.detail);
    return read.value;
  };
  const tools = host.tools.list().tools.filter((tool) => tool.extension === id);
  return {
    id,
    tools,
    workspace,
    async call(tool, args = {}, { timeoutMs } = {}) {
      if (closed !== null) throw new CallFailure(`${id} is closed. Load it again to call its tools.`, 'refused', null);
      if (!tools.some(({ name }) => name === tool))
        throw new CallFailure(`${id} has no tool “${tool}”. Its tools are: ${tools.map(({ name }) => name).join(', ')}.`, 'refused', null);
      const started = await host.calls.start({ tool, arguments: args, timeoutMs, source: 'cli', actor: { name: 'test' } });
      if (!started.ok) throw new CallFailure(started.problem.detail, 'refused', null);
      const call = callSchema.parse(parseExactJson(await started.value.finished));
      if (call.status === 'succeeded') return call.result;
      throw new CallFailure(call.error?.message ?? `The call ended as ${call.status}.`, call.error?.kind ?? call.status, call);
    },
    async status() {
      const { status, status_error: reason } = await detail();
      if (reason !== null) throw new Error(`status() failed: ${reason}`);
      return status;
    },
    logs: async () => (await detail()).logs,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Text of the failure, as in the dashboard. */
function failureText({ extension, code, file, line, message, code_frame: frame, hint, output }: Failure): string {
  const place = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`;
  const parts = [`${extension} failed to load: ${code}${place}`, message, frame, hint, output === null ? null : `Output:\n${output}`];
  return parts.filter((part) => part !== null && part !== '').join('\n\n');
}

/** Location of an extension, by the scanner's rules. */
interface FoundExtension {
  readonly id: string;
  /** Absolute path of its extensions folder. */
  readonly extensionsDir: string;
  /** Ids of all other extensions there, in lower case. */
  readonly others: ReadonlySet<string>;
}

const RESERVED = new Set(['tools', 'channels']);

/** Rejects with a message if there is no extension. */
async function findExtension(place: string | URL): Promise<FoundExtension> {
  const full = path.resolve(place instanceof URL || place.startsWith('file:') ? fileURLToPath(place) : place);
  const facts = await stat(full).catch(() => null);
  if (facts === null) throw new Error(`${full} not found. Name an extension folder or an entry file.`);
  const folder = facts.isDirectory() ? full : path.dirname(full);
  const isOneFile = facts.isFile() && RESERVED.has(path.basename(folder));
  const extensionsDir = path.dirname(folder);

  const scan = await scanExtensions(extensionsDir);
  const all = [...scan.candidates, ...scan.failed];
  const found = all.find((one) => (isOneFile ? one.entryFile === full : one.folder === folder && !RESERVED.has(path.basename(folder))));
  if (found === undefined) throw new Error(nothingThere(full, folder, all));
  return {
    id: found.id,
    extensionsDir,
    others: new Set(all.map(({ id }) => id.toLowerCase()).filter((id) => id !== found.id.toLowerCase())),
  };
}

function nothingThere(full: string, folder: string, all: readonly Pick<FailedCandidate, 'folder' | 'entryFile'>[]): string {
  const names = all.flatMap((one) => (one.folder === folder && one.entryFile !== null ? path.basename(one.entryFile) : []));
  if (RESERVED.has(path.basename(folder)) && names.length > 0)
    return `${full} is not a one-file tool or channel. Name one of these files: ${names.join(', ')}.`;
  return `No extension in ${full}. An extension is a folder with extension.ts, extension.py or mcp.json, or a file in tools/ or channels/.`;
}
