import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { ClientAsk } from '#lib/contract/client-asks.ts';
import { serverNoticeSchema } from '#lib/contract/server-features.ts';
import type { ServerFeatures } from '#lib/contract/server-features.ts';
import { mapSchemas } from '#lib/contract/subschemas.ts';
import type { ExtensionStatus } from '#lib/contract/extension.ts';
import { DESCRIPTION_TOO_LARGE, descriptionText } from './host-link.ts';
import type { HostLink } from './host-link.ts';
import { connectToServer } from './server-connection.ts';
import type { ConnectOptions, ConnectOutcome, OfferedFeatures, ServerConnection } from './server-connection.ts';
import { createServerCalls, createServerRequests, type ServerTool } from './server-requests.ts';
import { createCallerAsks } from './caller-asks.ts';
import type { CallerAsks } from './caller-asks.ts';
import { createServerSubscriptions } from './server-subscriptions.ts';
import { nameServerTools } from './name-server-tools.ts';
import { isRecord } from '../frames.ts';
import { explainServerError, signInNeeded } from './server-errors.ts';
import type { ServerTokens } from './server-tokens.ts';
import type { FailureReport, HostMessage } from '../messages.ts';
import type { OfferedTools } from './read-server-tools.ts';
import type { CompileOutcome, SchemaCompiler, Validate } from './validators.ts';

/**
 * A connected server as an extension: its tools and prompts under their local names, its resources; calls refer to a tool by its
 * index in the host's list.
 */
export interface ConnectedServer {
  /** Sends the server's current description to the host. Throws if it is too large. */
  describe(): void;
  /** The tools known to the host, in its order; calls use their index. */
  setTools(text: string): void;
  handle(message: HostMessage, payload: Buffer): void;
  /** Starts to report changes of the tools, including changes since they were first read. */
  follow(): void;
  /** The only running call, prompt or read; 0 if there is none or more than one. */
  onlyCall(): number;
}

export interface ConnectedServerOptions extends Omit<ConnectOptions, 'fetch' | 'onAsk' | 'onListsChanged' | 'onRenewed' | 'onNotice'> {
  readonly prefix: string;
  /** Each member signs in at the server. */
  readonly isByMember: boolean;
  readonly tokens: ServerTokens;
  /** Timeout for calls of its tools; null if not set. */
  readonly timeoutMs: number | null;
  readonly keepAlive: boolean | null;
  readonly warnings: readonly string[];
  readonly link: HostLink;
  readonly compiler: SchemaCompiler;
  readonly maxResultBytes: number;
}

export type StartOutcome =
  | { readonly ok: true; readonly server: ConnectedServer }
  | { readonly ok: false; readonly failure: FailureReport };

type KnownTool = Omit<ServerTool, 'validateOutput'>;

interface Offered {
  readonly tools: ReadonlyMap<string, KnownTool>;
  readonly described: readonly object[];
  readonly features: ServerFeatures;
  /** The server's names of prompts, by their local names. */
  readonly prompts: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

export async function startServer(options: ConnectedServerOptions): Promise<StartOutcome> {
  const { link, settings } = options;
  const url = settings.type === 'http' ? settings.url : null;
  let readChanges: () => Promise<boolean> = async () => false;
  const follower = createToolFollower({
    read: () => readChanges(),
    onFailure(error, nextMs) {
      const why = explainServerError(error, url);
      options.warn(`The tools of the server changed, but the list could not be read: ${why} Retrying in ${nextMs / 1_000} s`);
    },
  });
  const asks = createCallerAsks(link);
  const connect = (member: string, more: Pick<ConnectOptions, 'onEnd' | 'onListsChanged' | 'onRenewed'>) =>
    connectToServer({
      ...options,
      ...more,
      fetch: options.tokens.fetchAs(member),
      onAsk: (ask, signal) => askForServer(asks, running(), ask, signal).finally(() => requests.asked(ask.method)),
      onNotice(notice) {
        const read = serverNoticeSchema.safeParse(notice);
        if (read.success) link.send({ type: 'notice' }, JSON.stringify(read.data));
      },
    });
  const outcome = await connect(options.isByMember ? '*' : '', {
    onEnd: options.onEnd,
    onListsChanged: follower.notice,
    onRenewed: () => subscriptions.renew(),
  });
  if (!outcome.ok) {
    // The official client may wrap the error of its request.
    const refusal = options.tokens.refusal();
    return refusal === null ? outcome : { ok: false, failure: { code: 'server_sign_in_needed', message: refusal } };
  }
  const { connection } = outcome;
  const members = createMemberConnections(connection, options, (member, onEnd) =>
    connect(member, { onEnd, onListsChanged: () => undefined, onRenewed: () => undefined }),
  );
  const onLost = (how: string, member: string | undefined): void => {
    if (!members.drop(member)) options.onEnd(how);
  };
  const subscriptions = createServerSubscriptions(connection, options.warn);
  const calls = createServerCalls({
    link,
    connectionOf: members.of,
    url,
    maxResultBytes: options.maxResultBytes,
    readAgain: (remoteName) => readAgain(remoteName),
    onLost,
  });
  const requests = createServerRequests({
    link,
    connectionOf: members.of,
    subscriptions,
    url,
    maxResultBytes: options.maxResultBytes,
    remotePrompt: (name) => offered.prompts.get(name),
    onLost,
  });
  const running = (): readonly number[] => [...calls.running(), ...requests.asking()];
  const onlyCall = (): number => {
    const [only = 0, ...others] = running();
    return others.length === 0 ? only : 0;
  };
  const readOffered = async (): Promise<Offered> => {
    follower.forget();
    const [tools, features] = await Promise.all([connection.listTools(), connection.listFeatures()]);
    // Read again, less and less often.
    if (features.isIncomplete) follower.notice();
    return offer(tools, features, options);
  };
  let offered: Offered;
  try {
    offered = await readOffered();
  } catch (error) {
    return {
      ok: false,
      failure: { code: 'mcp_error', message: `The server connected, but did not list its tools. ${explainServerError(error, url)}` },
    };
  }
  let places: readonly string[] = [];
  /** By tool name: validators for results. */
  let outputs: ReadonlyMap<string, Validate> = new Map();

  const describe = (): void => {
    const { client } = connection;
    const server = client.getServerVersion();
    const value = {
      server: { name: server?.name ?? '', title: server?.title ?? '', version: server?.version ?? '' },
      description: server?.description ?? '',
      icons: server?.icons ?? [],
      instructions: client.getInstructions() ?? '',
      tools: offered.described,
      features: offered.features,
      timeoutMs: options.timeoutMs,
      keepAlive: options.keepAlive,
      warnings: [...options.warnings, ...offered.warnings],
    };
    const text = descriptionText({ exports: [], values: { server: value }, hasStatus: true });
    if (text === null) throw new Error(DESCRIPTION_TOO_LARGE);
    link.send({ type: 'raw' }, text);
  };

  const readAgain = async (remoteName: string): Promise<KnownTool | null> => {
    offered = await readOffered();
    describe();
    return [...offered.tools.values()].find((tool) => tool.remoteName === remoteName) ?? null;
  };

  readChanges = async () => {
    const serialized = (): string => JSON.stringify([offered.described, offered.features, offered.warnings]);
    const before = serialized();
    await readAgain('');
    return serialized() !== before;
  };

  const withTool = (id: number, place: number, use: (tool: ServerTool) => void): void => {
    const name = places[place] ?? '';
    const tool = offered.tools.get(name);
    if (tool !== undefined) return use({ ...tool, validateOutput: outputs.get(name) ?? null });
    const message = `The MCP server no longer offers ${name}.`;
    link.send({ type: 'error', id }, JSON.stringify({ kind: 'extension_unavailable', message }));
  };

  const handle = (message: HostMessage, payload: Buffer): void => {
    switch (message.type) {
      case 'call':
        return withTool(message.id, message.tool, (tool) => void calls.run(message.id, tool, payload.toString('utf8'), message));
      case 'validate':
        return withTool(message.id, message.tool, (tool) =>
          link.send({ type: 'issues', id: message.id }, JSON.stringify(calls.validate(tool, payload.toString('utf8')))),
        );
      case 'status':
        return link.send({ type: 'status', id: message.id }, JSON.stringify(statusOf(connection)));
      case 'request':
        return void requests.run(message.id, message.method, payload.toString('utf8'), message);
      case 'reply':
        return asks.onReply(message.id, payload);
      case 'abort':
        requests.abort(message.id);
        return calls.abort(message.id);
      case 'idle':
        // The host knows its calls and requests; work that the server does outside of them is unknown.
        return link.send({ type: 'idle', id: message.id, activity: null });
      case 'ping':
        return link.send({ type: 'pong', id: message.id });
      default:
    }
  };

  return {
    ok: true,
    server: {
      onlyCall,
      describe,
      handle,
      follow: follower.begin,
      setTools(text) {
        const schemas: unknown = JSON.parse(text);
        const known = Array.isArray(schemas) ? schemas.map((schema: unknown) => (isRecord(schema) ? schema : {})) : [];
        places = known.map((schema) => String(schema['name']));
        outputs = new Map(
          known.flatMap((schema): [string, Validate][] => {
            const compiled = isRecord(schema['outputSchema']) ? compileOutput(options.compiler, schema['outputSchema']) : null;
            return compiled?.ok === true ? [[String(schema['name']), compiled.validate]] : [];
          }),
        );
      },
    },
  };
}

/**
 * Connections with the sign-ins of members. A session of a server belongs to its opener, so each member has their own,
 * opened with their first call. Without members all callers share the one connection.
 */
interface MemberConnections {
  of(member: string | undefined): Promise<ServerConnection>;
  /** False: it is the shared connection. */
  drop(member: string | undefined): boolean;
}

const MEMBERS_MOST = 50;

function createMemberConnections(
  shared: ServerConnection,
  { isByMember, tokens }: ConnectedServerOptions,
  connect: (member: string, onEnd: () => void) => Promise<ConnectOutcome>,
): MemberConnections {
  const opened = new Map<string, { readonly since: number | null; readonly connection: Promise<ServerConnection> }>();

  const end = (member: string): void => {
    const known = opened.get(member);
    opened.delete(member);
    known?.connection.then(({ client }) => client.close()).catch(() => undefined);
  };

  const open = async (member: string): Promise<ServerConnection> => {
    const outcome = await connect(member, () => end(member));
    if (outcome.ok) return outcome.connection;
    throw signInNeeded(outcome.failure.message);
  };

  return {
    async of(member) {
      if (!isByMember) return shared;
      if (member === undefined) throw signInNeeded('Each member signs in at this server, and this call has no member.');
      const since = await tokens.since(member);
      const known = opened.get(member);
      if (known?.since === since) return known.connection;
      if (known !== undefined) end(member);
      const [oldest] = opened.keys();
      if (opened.size >= MEMBERS_MOST && oldest !== undefined) end(oldest);
      const made = open(member);
      opened.set(member, { since, connection: made });
      made.catch(() => end(member));
      return made;
    },
    drop(member) {
      if (!isByMember || member === undefined) return false;
      end(member);
      return true;
    },
  };
}

function offer(list: OfferedTools, { features, warnings: more }: OfferedFeatures, { prefix, compiler }: ConnectedServerOptions): Offered {
  const { named, warnings } = nameServerTools(list.tools, prefix);
  const prompts = nameServerTools(features.prompts, prefix);
  const known = new Map<string, KnownTool>();
  const described = named.map(({ name, tool, warnings: nameWarnings }) => {
    const compiled = compiler.compile(tool.inputSchema);
    known.set(name, {
      remoteName: tool.name,
      inputSchema: tool.inputSchema,
      isTask: tool.taskSupport === 'required',
      validate: compiled.ok ? compiled.validate : anything(),
    });
    const unchecked = compiled.ok
      ? []
      : [
          `Its parameters are not a usable schema, so only the server validates arguments: \`inputSchema\`${compiled.path} ${compiled.message}.`,
        ];
    const output = tool.outputSchema === null ? null : compileOutput(compiler, tool.outputSchema);
    return {
      name,
      label: tool.label,
      description: tool.description,
      parameters: tool.inputSchema,
      outputSchema: tool.outputSchema,
      // The host reports the location of most faults; here it drops the schema and warns.
      outputFault: output === null || output.ok ? null : `${output.path} ${output.message}`.trim(),
      annotations: tool.annotations,
      meta: tool.meta,
      icons: tool.icons,
      isTask: tool.taskSupport !== null,
      remoteName: tool.name,
      warnings: [...nameWarnings, ...tool.warnings, ...unchecked],
    };
  });
  return {
    tools: known,
    described,
    features: { ...features, prompts: prompts.named.map(({ name, tool }) => ({ ...tool, name })) },
    prompts: new Map(prompts.named.map(({ name, tool }) => [name, tool.name])),
    warnings: [...list.warnings, ...warnings, ...more, ...prompts.warnings, ...prompts.named.flatMap((one) => one.warnings)],
  };

  function anything(): ServerTool['validate'] {
    const compiled = compiler.compile({});
    if (!compiled.ok) throw new Error(compiled.message);
    return compiled.validate;
  }
}

/** Results get no defaults, and required properties must be present. */
function compileOutput(compiler: SchemaCompiler, schema: Readonly<Record<string, unknown>>): CompileOutcome {
  return compiler.compile(mapSchemas(schema, ({ default: _, ...part }) => part));
}

function statusOf({ client, by }: ServerConnection): ExtensionStatus {
  const server = client.getServerVersion();
  return {
    value: {
      connected_by: by,
      server: `${server?.name ?? 'unnamed'} ${server?.version ?? ''}`.trim(),
      protocol: client.getNegotiatedProtocolVersion() ?? 'unknown',
    },
    error: null,
    duration_ms: null,
  };
}

/**
 * Reads the server's tools again after each change notification.
 *
 * What can go wrong: the server notifies while the tools are still being loaded (remembered until `begin`), while the list is read
 * (read once more), or after each read (read less and less often); the list cannot be read (retried and logged).
 */
interface ToolFollower {
  /** The list may have changed. */
  notice(): void;
  /** Earlier notifications are covered by the next read. */
  forget(): void;
  /** Starts to read after each notification, including earlier ones. */
  begin(): void;
}

interface ToolFollowerOptions {
  /** Reads and applies the list. Resolves to whether it changed. */
  readonly read: () => Promise<boolean>;
  /** The list could not be read. */
  readonly onFailure: (error: unknown, nextMs: number) => void;
}

const DEBOUNCE_MS = 20;
const FIRST_RETRY_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export function createToolFollower({ read, onFailure }: ToolFollowerOptions): ToolFollower {
  let isStale = false;
  let hasBegun = false;
  let isReading = false;
  let timer: NodeJS.Timeout | null = null;
  let failures = 0;
  /** Consecutive notifications without a change, each right after the previous one. */
  let unchangedNotices = 0;
  let lastReadAt = Number.NEGATIVE_INFINITY;

  const waitMs = (): number =>
    Math.min(LONGEST_WAIT_MS, failures > 0 ? FIRST_RETRY_MS * 2 ** (failures - 1) : DEBOUNCE_MS * 2 ** unchangedNotices);

  const look = async (): Promise<void> => {
    timer = null;
    isReading = true;
    isStale = false;
    try {
      unchangedNotices = (await read()) ? 0 : unchangedNotices + 1;
      failures = 0;
    } catch (error) {
      isStale = true;
      failures += 1;
      onFailure(error, waitMs());
    }
    isReading = false;
    lastReadAt = performance.now();
    schedule();
  };

  const schedule = (): void => {
    if (!isStale || !hasBegun || isReading || timer !== null) return;
    timer = setTimeout(() => void look(), waitMs()).unref();
  };

  return {
    notice() {
      isStale = true;
      if (performance.now() - lastReadAt > 2 * waitMs()) unchangedNotices = 0;
      if (failures > 0 && timer !== null) {
        clearTimeout(timer);
        timer = null;
        failures = 0;
      }
      schedule();
    },
    forget() {
      isStale = false;
    },
    begin() {
      hasBegun = true;
      schedule();
    },
  };
}

/**
 * A request of a server to the caller of its tool, prompt or resource; rejects with the refusal. What can go wrong: several of them
 * run, and the protocol does not say which one asks. Guessing could show one person the question of another, so such a request is
 * refused.
 * @param running calls, prompts and reads
 */
async function askForServer(
  asks: CallerAsks,
  [call, ...others]: readonly number[],
  ask: ClientAsk,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  if (call === undefined) throw refusal('No call, prompt or read of this server runs, so Switchboard has no caller to ask.');
  if (others.length > 0) throw refusal(SEVERAL_RUN);
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(refusal('The server no longer waits for an answer.')), { once: true });
  const reply = await Promise.race([asks.ask(call, ask), promise]);
  if (reply.ok) return reply.result;
  throw new ProtocolError(reply.error.code, reply.error.message);
}

const SEVERAL_RUN =
  'Several calls of this server run at once, so Switchboard does not know which caller to ask. Wait for or cancel the other calls, then run again.';

function refusal(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
}
