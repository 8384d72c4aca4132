import { statSync, accessSync, constants } from 'node:fs';
import path from 'node:path';
import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  specTypeSchemas,
} from '@modelcontextprotocol/client';
import { ASK_KINDS, capabilitiesOf } from '#lib/contract/client-asks.ts';
import type { ClientAsk } from '#lib/contract/client-asks.ts';
import { MCP_APPS } from '#lib/contract/mcp-apps.ts';
import type { ServerFeatures } from '#lib/contract/server-features.ts';
import { findParentDeathPrefix } from '../parent-death.ts';
import {
  createServerProcess,
  createServerSession,
  type OpenLink,
  type ServerLink,
  type ServerProcess,
  type ServerSession,
} from './server-session.ts';
import { explainServerError, isSignInNeeded, statusOf, withoutSecrets } from './server-errors.ts';
import { fetchLeniently, readLeniently, originalAnswer } from './lenient-transport.ts';
import { PROMPTS, RESOURCES, TEMPLATES, withinLimits } from './read-server-features.ts';
import { readList } from './server-fields.ts';
import type { AskPage, ListKind } from './server-fields.ts';
import { readPages, withoutInvalidHeaders } from './read-server-tools.ts';
import type { OfferedTools } from './read-server-tools.ts';
import { followTasks } from './server-requests.ts';
import type { FailureReport } from '../messages.ts';
import type { ServerConnectionSettings } from '../server-program.ts';

/**
 * A connection to one MCP server, of either protocol generation: tries `server/discover` first, then the older `initialize`.
 *
 * What can go wrong: the command is missing; the server exits at once, never answers, or exits on an unknown request (it is started
 * again, with the older handshake); the URL refuses, or supports only HTTP+SSE, the predecessor of Streamable HTTP (tried if the
 * answer suggests it). Each is reported as a failure. The host ends a server that never answers, through the limit of the load.
 */
export interface ServerConnection extends ServerLink {
  /** Runs `work` with the client; retries once after a new connection if the server has forgotten the session. */
  use: ServerSession['use'];
  listTools(): Promise<OfferedTools>;
  /** Never rejects: what cannot be listed is missing, with a warning. Prompts have the server's own names. */
  listFeatures(): Promise<OfferedFeatures>;
}

export interface OfferedFeatures {
  readonly features: ServerFeatures;
  readonly warnings: readonly string[];
  /** A list could not be read; it may be readable later. */
  readonly isIncomplete: boolean;
}

export type ConnectOutcome =
  | { readonly ok: true; readonly connection: ServerConnection }
  | { readonly ok: false; readonly failure: FailureReport };

export interface ConnectOptions {
  readonly settings: ServerConnectionSettings;
  readonly subject: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly maxLineBytes: number;
  onStrayLine(line: string): void;
  /** Logs a warning about the connection. */
  warn(words: string): void;
  /** Called when an established connection ends, with the reason. */
  onEnd(how: string, exitCode?: number | null): void;
  /** The server's tools, resources or prompts may have changed. */
  onListsChanged(): void;
  /** The server asks the caller of a tool. Rejects with the refusal. */
  onAsk(ask: ClientAsk, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** After a new connection to a server that had forgotten the session. */
  onRenewed(): void;
  /** A message of the server to its clients; not validated. */
  onNotice(notice: object): void;
  /** For servers at a URL; signs its requests. Absent: plain. */
  readonly fetch?: typeof fetchLeniently;
  /** Called before the first request, so that no message is missed. */
  onClient(client: Client): void;
}

/** Sent to servers as the client version; they may log it. */
const CLIENT_VERSION = '1';
const PROBE_MS = 2_000;
/** An HTTP+SSE server sends its POST address at once. */
const STREAM_MS = 5_000;
/** Statuses of such servers for a POST to the address of their stream. */
const MAY_BE_SSE: ReadonlySet<number | null> = new Set([400, 404, 405]);

export async function connectToServer(options: ConnectOptions): Promise<ConnectOutcome> {
  return options.settings.type === 'http' ? connectByHttp(options, options.settings) : connectToProcess(options, options.settings);
}

type HttpSettings = Extract<ServerConnectionSettings, { type: 'http' }>;

/** Of any level: the host filters for each of its clients. The stateless protocol asks with each request. */
function askForLogs(client: Client): void {
  if (client.getProtocolEra() === 'modern' || client.getServerCapabilities()?.logging === undefined) return;
  client.setLoggingLevel('debug').catch(() => undefined);
}

async function connectByHttp(options: ConnectOptions, settings: HttpSettings): Promise<ConnectOutcome> {
  const { url, headers } = settings;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return invalidField(options, ['url'], `\`url\` is not an address that begins with http:// or https://: ${withoutSecrets(url)}`);
  const header = invalidHeader(headers);
  if (header !== null) return invalidField(options, ['headers', header.name], header.message);
  const open: OpenLink = (timeoutMs) => (settings.isSse ? openStream(options, settings, null) : openHttp(options, settings, timeoutMs));
  const opened = await open();
  if (!opened.ok) return refused(opened.reason);
  const { warn, onEnd } = options;
  const onRenewed = (): void => {
    options.onListsChanged();
    options.onRenewed();
  };
  const session = createServerSession({ first: opened.link, open, url, warn, onEnd, onRenewed });
  return { ok: true, connection: connectionOf(session.link, session.use, url) };
}

async function openHttp(options: ConnectOptions, settings: HttpSettings, timeoutMs: number | undefined): ReturnType<OpenLink> {
  const client = createClient(options, 'auto');
  const transport = readLeniently(
    new StreamableHTTPClientTransport(new URL(settings.url), {
      requestInit: { headers: settings.headers },
      fetch: fetchOf(options, settings),
    }),
  );
  try {
    await client.connect(transport, timeoutMs === undefined ? {} : { timeout: timeoutMs });
  } catch (error) {
    const reason = explainServerError(error, settings.url);
    if (isSignInNeeded(error)) return { ok: false, reason };
    return MAY_BE_SSE.has(statusOf(error)) ? openStream(options, settings, reason) : { ok: false, reason };
  }
  askForLogs(client);
  return { ok: true, link: { client, by: 'Streamable HTTP' } };
}

/** An entry with its own key authenticates its requests with it. */
function fetchOf(options: ConnectOptions, { headers }: HttpSettings): typeof fetchLeniently {
  const hasKey = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return hasKey ? fetchLeniently : (options.fetch ?? fetchLeniently);
}

/** @param refusal the answer to Streamable HTTP; null if it was not tried */
async function openStream(options: ConnectOptions, settings: HttpSettings, refusal: string | null): ReturnType<OpenLink> {
  const { url, headers } = settings;
  const client = createClient(options, 'legacy');
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`it sent no address for POST requests within ${STREAM_MS / 1_000} seconds`)),
    STREAM_MS,
  );
  try {
    const transport = readLeniently(new SSEClientTransport(new URL(url), { requestInit: { headers }, fetch: fetchOf(options, settings) }));
    await Promise.race([client.connect(transport), late.promise]);
  } catch (error) {
    await client.close();
    return { ok: false, reason: refusal ?? explainServerError(error, url) };
  } finally {
    clearTimeout(timer);
  }
  askForLogs(client);
  return { ok: true, link: { client, by: 'HTTP+SSE' } };
}

async function connectToProcess(
  options: ConnectOptions,
  settings: Extract<ServerConnectionSettings, { type: 'stdio' }>,
): Promise<ConnectOutcome> {
  const workingDirectory = path.resolve(options.folder, settings.cwd ?? '.');
  if (!isFolder(workingDirectory)) return invalidField(options, ['cwd'], `\`cwd\` is not an existing folder: ${settings.cwd ?? ''}`);
  const environment = { ...options.environment, ...settings.env };
  const command = findCommand(settings.command, environment['PATH'] ?? '', workingDirectory);
  if (command === null) {
    const problem = isThere(settings.command, workingDirectory)
      ? {
          message: `The command \`${settings.command}\` exists, but is not executable.`,
          hint: 'Make it executable (`chmod +x`), or use its interpreter as `command` and this file in `args`. Then reload or test again.',
        }
      : {
          message: `There is no executable command \`${settings.command}\`.`,
          hint:
            splitCommandHint(
              settings.command,
              settings.args,
              (name) => findCommand(name, environment['PATH'] ?? '', workingDirectory) !== null,
            ) ?? 'Install it, or write its full path in `command`; Switchboard searches the PATH of extensions. Then reload or test again.',
        };
    return { ok: false, failure: { code: 'runtime_missing', ...problem, subject: [...options.subject, 'command'] } };
  }
  const prefix = await findParentDeathPrefix();
  const [first = command, ...rest] = [...prefix, command, ...settings.args];
  for (const generation of ['auto', 'legacy'] as const) {
    const server = createServerProcess({
      command: [first, ...rest],
      environment,
      workingDirectory,
      maxLineBytes: options.maxLineBytes,
      onStrayLine: options.onStrayLine,
    });
    const client = createClient(options, generation);
    try {
      await client.connect(readLeniently(server));
    } catch (error) {
      if (generation === 'auto' && endedWhenProbed(server, error)) {
        options.warn(`The server ${server.howItEnded()} before it had answered; it is started once more with the older handshake`);
        continue;
      }
      const ended = server.howItEnded();
      await server.close();
      return refused(ended === null ? explainServerError(error, null) : `The server ${ended} before it had answered.`);
    }
    client.onclose = () => options.onEnd(`The MCP server ${server.howItEnded() ?? 'closed the connection'}`, server.exitCode());
    askForLogs(client);
    const link: ServerLink = { client, by: 'standard streams' };
    return {
      ok: true,
      connection: connectionOf(
        () => link,
        (work) => work(client),
        null,
      ),
    };
  }
  return refused('The server exited on every handshake.');
}

/** For a complete command line in `command`: only the program belongs there, the rest into `args`. */
function splitCommandHint(command: string, args: readonly string[], isProgram: (name: string) => boolean): string | null {
  const words = command.match(/"[^"]*"|'[^']*'|\S+/g)?.map((word) => word.replace(/^(["'])(.*)\1$/, '$2')) ?? [];
  const [program, ...rest] = words;
  if (program === undefined || rest.length === 0 || !isProgram(program)) return null;
  const list = [...rest, ...args].map((arg) => JSON.stringify(arg)).join(', ');
  return `\`command\` is only the program. Write "command": ${JSON.stringify(program)}, "args": [${list}], then reload or test again.`;
}

/** Some servers of the older generation exit on any request before `initialize`. */
function endedWhenProbed(server: ServerProcess, error: unknown): boolean {
  return error instanceof SdkError && server.howItEnded() !== null && server.pid !== null;
}

function createClient(options: ConnectOptions, mode: 'auto' | 'legacy'): Client {
  let hasWarned = false;
  const onListChanged = { autoRefresh: false, debounceMs: 0, onChanged: options.onListsChanged };
  const client = new Client(
    { name: 'switchboard', version: CLIENT_VERSION },
    {
      versionNegotiation: { mode, probe: { timeoutMs: PROBE_MS } },
      // One connection for all callers: those who cannot answer refuse.
      capabilities: { ...capabilitiesOf(ASK_KINDS), roots: { listChanged: true }, extensions: MCP_APPS },
      // The package subscribes after the handshake, and only if the server declares notifications.
      listChanged: { tools: onListChanged, resources: onListChanged, prompts: onListChanged },
    },
  );
  for (const list of LISTS)
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => {
      const capabilities = client.getServerCapabilities();
      if (!hasWarned && capabilities !== undefined && capabilities[list]?.listChanged !== true) {
        hasWarned = true;
        options.warn(`The server reports changed ${list} without declaring \`listChanged\`; they are read again`);
      }
      options.onListsChanged();
    });
  client.setRequestHandler('elicitation/create', async ({ params }, ctx) => {
    const reply = await options.onAsk({ method: 'elicitation/create', params: { ...params } }, ctx.mcpReq.signal);
    const read = specTypeSchemas.ElicitResult['~standard'].validate(reply);
    if (read.issues === undefined) return read.value;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The answer of the caller is not a valid elicitation result.');
  });
  client.setRequestHandler('sampling/createMessage', async ({ params }, ctx) => {
    const reply = await options.onAsk({ method: 'sampling/createMessage', params: { ...params } }, ctx.mcpReq.signal);
    const hasTools = params.tools !== undefined || params.toolChoice !== undefined;
    const shape = hasTools ? specTypeSchemas.CreateMessageResultWithTools : specTypeSchemas.CreateMessageResult;
    const read = shape['~standard'].validate(reply);
    if (read.issues === undefined) return read.value;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The answer of the caller is not a valid message.');
  });
  client.setRequestHandler('roots/list', async (_request, ctx) => {
    const reply = await options.onAsk({ method: 'roots/list', params: {} }, ctx.mcpReq.signal);
    const read = specTypeSchemas.ListRootsResult['~standard'].validate(reply);
    if (read.issues === undefined) return read.value;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The answer of the caller is not a valid list of roots.');
  });
  for (const method of ['notifications/resources/updated', 'notifications/elicitation/complete'] as const)
    client.setNotificationHandler(method, ({ params }) => options.onNotice({ method, params }));
  followTasks(client);
  options.onClient(client);
  return client;
}

const LISTS = ['tools', 'resources', 'prompts'] as const;

function connectionOf(link: () => ServerLink, use: ServerConnection['use'], url: string | null): ServerConnection {
  return {
    get client() {
      return link().client;
    },
    get by() {
      return link().by;
    },
    use,
    listTools: () =>
      use(async (client) => {
        if (client.getServerCapabilities()?.tools === undefined) return { tools: [], warnings: [] };
        const ask = askPages(client, 'tools/list', null);
        const list = await readPages(ask, (error) => explainServerError(error, url));
        return url !== null && client.getProtocolEra() === 'modern' ? withoutInvalidHeaders(list) : list;
      }),
    listFeatures: () => use((client) => readFeatures(client, url)),
  };
}

async function readFeatures(client: Client, url: string | null): Promise<OfferedFeatures> {
  const { resources, prompts, completions } = client.getServerCapabilities() ?? {};
  const warnings: string[] = [];
  let isIncomplete = false;
  const list = async <Entry>(method: ListMethod, kind: ListKind<Entry>, isOffered: boolean): Promise<Entry[]> => {
    if (!isOffered) return [];
    const explain = (error: unknown): string => explainServerError(error, url);
    try {
      const read = await readList(askPages(client, method, LATER_PAGE_MS), explain, kind);
      const { kept, warnings: cut } = withinLimits(read.entries, kind.words);
      warnings.push(...read.warnings, ...cut);
      return [...kept];
    } catch (error) {
      // Many servers with resources have no templates.
      if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return [];
      isIncomplete = true;
      warnings.push(`Its list of ${kind.words} could not be read. ${explain(error)}`);
      return [];
    }
  };
  const [listed, templates, prompted] = await Promise.all([
    list('resources/list', RESOURCES, resources !== undefined),
    list('resources/templates/list', TEMPLATES, resources !== undefined),
    list('prompts/list', PROMPTS, prompts !== undefined),
  ]);
  return {
    features: {
      resources: listed,
      resource_templates: templates,
      prompts: prompted,
      completions: completions !== undefined,
      subscriptions: resources?.subscribe === true,
    },
    warnings,
    isIncomplete,
  };
}

type ListMethod = 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list';

/** @param firstMs for the first page; null: the default of the client */
function askPages(client: Client, method: ListMethod, firstMs: number | null): AskPage {
  return async (cursor) => {
    const timeout = cursor === undefined ? firstMs : LATER_PAGE_MS;
    const request = { method, params: cursor === undefined ? {} : { cursor } };
    return originalAnswer(await client.request(request, timeout === null ? {} : { timeout }));
  };
}

/** Within the time of a load: keeps the first pages if a later one never arrives. */
const LATER_PAGE_MS = 5_000;

function refused(message: string): ConnectOutcome {
  return { ok: false, failure: { code: 'mcp_error', message } };
}

function invalidField({ subject }: ConnectOptions, field: readonly string[], message: string): ConnectOutcome {
  const hint = 'Correct it in mcp.json; if it contains variables, check their values.';
  return { ok: false, failure: { code: 'field_invalid', message, hint, subject: [...subject, ...field] } };
}

/** The value may be a secret, so it is not shown. */
function invalidHeader(headers: Readonly<Record<string, string>>): { readonly name: string; readonly message: string } | null {
  for (const [name, value] of Object.entries(headers)) {
    if (isHeader(name, value)) continue;
    if (!isHeader(name, '')) return { name, message: `“${name.slice(0, 80)}” in \`headers\` cannot be the name of a header.` };
    const at = Array.from({ length: value.length }, (_, index) => value.charAt(index)).findIndex((unit) => !isHeader(name, `x${unit}x`));
    const what = value.charCodeAt(at) > 0xff ? 'is outside Latin-1' : 'is a line break or a control character';
    return { name, message: `Character ${at + 1} of the value of the header \`${name}\` ${what}; a header cannot carry it.` };
  }
  return null;
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Finds the file of a command like a shell; null if none is executable. */
function findCommand(command: string, searchPath: string, workingDirectory: string): string | null {
  if (command.includes('/') || command.includes(path.sep)) {
    const file = path.resolve(workingDirectory, command);
    return isProgram(file) ? file : null;
  }
  for (const folder of searchPath.split(path.delimiter)) {
    if (folder === '') continue;
    for (const ending of ENDINGS) {
      const file = path.resolve(workingDirectory, folder, `${command}${ending}`);
      if (isProgram(file)) return file;
    }
  }
  return null;
}

/** Whether the path of a command is a file, executable or not. */
function isThere(command: string, workingDirectory: string): boolean {
  try {
    return command.includes('/') && statSync(path.resolve(workingDirectory, command)).isFile();
  } catch {
    return false;
  }
}

const ENDINGS = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
