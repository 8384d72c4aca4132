import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  SdkError,
  SdkErrorCode,
  UriTemplate,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { type AskKind, capabilitiesOf, type ClientAsk } from '#lib/contract/client-asks.ts';
import { SERVER_REQUESTS, type ServerError, type ServerRequestMethod } from '#lib/contract/server-features.ts';
import { holdsBigint, withoutBigints } from '#lib/contract/big-integers.ts';
import { ShortLivedMap } from '#lib/memory/short-lived.ts';
import { MCP_APPS } from '#lib/contract/mcp-apps.ts';
import type { CallError, CallIssue } from '#lib/contract/call.ts';
import { isRecord } from '../frames.ts';
import { originalAnswer } from './lenient-transport.ts';
import { adviceAfter, explainServerError, isCallBroken, isConnectionLost } from './server-errors.ts';
import { truncateMessage } from './thrown.ts';
import { toJsonText, toNotedJsonText } from './to-json.ts';
import type { HostLink } from './host-link.ts';
import type { ServerConnection } from './server-connection.ts';
import type { ServerSubscriptions } from './server-subscriptions.ts';
import { invalidArguments, invalidResult, issuesOf, readArguments, restoreSlot } from './check-values.ts';
import type { Validate } from './validators.ts';

/** Passes requests about resources, prompts and completion to the server, and its answers or errors to the host. */
interface ServerRequests {
  run(id: number, method: ServerRequestMethod, paramsText: string, from?: Pick<CallAbout, 'asks' | 'member'>): Promise<void>;
  abort(id: number): void;
  /** The server has asked something, and has the answer. */
  asked(method: ClientAsk['method']): void;
  /** Ids of the running reads, prompts and changes of roots, during which a server may ask their caller. */
  asking(): readonly number[];
}

interface ServerRequestsOptions {
  readonly link: HostLink;
  /** The connection with the sign-in of a member. Rejects with the reason if there is none. */
  connectionOf(member: string | undefined): Promise<ServerConnection>;
  readonly subscriptions: ServerSubscriptions;
  readonly url: string | null;
  readonly maxResultBytes: number;
  /** The server's own name of a prompt; undefined for an unknown one. */
  remotePrompt(name: string): string | undefined;
  onLost(how: string, member: string | undefined): void;
}

type Params = Readonly<Record<string, unknown>>;

interface Running {
  readonly method: ServerRequestMethod;
  readonly controller: AbortController;
}

const MAY_ASK: ReadonlySet<ServerRequestMethod> = new Set(['resources/read', 'prompts/get', 'notifications/roots/list_changed']);
/** A server that wants the new roots asks at once. */
const ROOTS_MS = 1_000;

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;
const REFUSED = -32_000;
const DATA_BYTES = 65_536;

export function createServerRequests(options: ServerRequestsOptions): ServerRequests {
  const { link, connectionOf, subscriptions, url, maxResultBytes, onLost } = options;
  const running = new Map<number, Running>();
  let rootsAsked: () => void = () => undefined;

  const fail = (id: number, error: ServerError): void => link.send({ type: 'answer', id, ok: false }, JSON.stringify(error));

  const ask = async (
    connection: ServerConnection,
    method: ServerRequestMethod,
    params: Params,
    asks: readonly AskKind[],
    signal: AbortSignal,
  ): Promise<Params> => {
    // The host enforces the timeout, and aborts.
    const limits = { signal, timeout: LIMITS.callTimeoutMostMs };
    switch (method) {
      case 'resources/read': {
        const { variables, uri, ...rest } = SERVER_REQUESTS[method].parse(params);
        const request = { ...rest, uri: variables === undefined ? uri : new UriTemplate(uri).expand(variables) };
        const read = (client: Client): Promise<object> =>
          client.readResource(withAsks(client, request, asks), { ...limits, cacheMode: 'bypass' });
        return originalAnswer(await connection.use(read, signal));
      }
      case 'prompts/get': {
        const request = SERVER_REQUESTS[method].parse(params);
        return originalAnswer(await connection.use((client) => client.getPrompt(withAsks(client, request, asks), limits), signal));
      }
      case 'completion/complete': {
        const request = SERVER_REQUESTS[method].parse(params);
        return originalAnswer(await connection.use((client) => client.complete(request, limits), signal));
      }
      case 'resources/subscribe':
        await subscriptions.add(SERVER_REQUESTS[method].parse(params).uri);
        return {};
      case 'resources/unsubscribe':
        await subscriptions.delete(SERVER_REQUESTS[method].parse(params).uri);
        return {};
      case 'notifications/roots/list_changed': {
        // The stateless protocol asks with each call.
        if (connection.client.getProtocolEra() === 'modern') return {};
        const { promise: asked, resolve } = Promise.withResolvers<void>();
        rootsAsked = resolve;
        await connection.use((client) => client.sendRootsListChanged(), signal);
        await Promise.race([asked, sleep(ROOTS_MS, undefined, { ref: false, signal })]);
        return {};
      }
    }
  };

  return {
    async run(id, method, paramsText, { asks = [], member } = {}) {
      const params: unknown = parseExactJson(paramsText);
      const sent = isRecord(params) ? withRemoteNames(method, params, options.remotePrompt) : null;
      if (sent === null) return fail(id, { code: INVALID_PARAMS, message: 'The server no longer offers this prompt.' });
      const controller = new AbortController();
      running.set(id, { method, controller });
      try {
        const json = toJsonText(await ask(await connectionOf(member), method, sent, asks, controller.signal), maxResultBytes, 'digits');
        if (!running.has(id)) return;
        if (json.ok) link.send({ type: 'answer', id, ok: true }, json.text);
        else fail(id, { code: INTERNAL_ERROR, message: json.message });
      } catch (error) {
        // This process ends with the connection, and the host then answers for it.
        if (!running.has(id) || (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)) return;
        fail(id, errorOf(error, url));
        if (isConnectionLost(error)) onLost(explainServerError(error, url), member);
      } finally {
        running.delete(id);
      }
    },
    abort(id) {
      const known = running.get(id);
      running.delete(id);
      known?.controller.abort(new DOMException('This request was abandoned', 'AbortError'));
    },
    asked(method) {
      if (method === 'roots/list') rootsAsked();
    },
    asking: () => [...running].flatMap(([id, { method }]) => (MAY_ASK.has(method) ? [id] : [])),
  };
}

function withAsks<Request extends { _meta?: Record<string, unknown> }>(
  client: Client,
  request: Request,
  asks: readonly AskKind[],
): Request {
  const { _meta } = metaOf(client, { asks });
  return _meta === undefined ? request : { ...request, _meta: { ...request._meta, ..._meta } };
}

/** Null if it names an unknown prompt. */
function withRemoteNames(method: ServerRequestMethod, params: Params, remotePrompt: ServerRequestsOptions['remotePrompt']): Params | null {
  const { name, ref } = params;
  if (method === 'prompts/get') {
    const remote = remotePrompt(String(name));
    return remote === undefined ? null : { ...params, name: remote };
  }
  if (method !== 'completion/complete' || !isRecord(ref) || ref['type'] !== 'ref/prompt') return params;
  const remote = remotePrompt(String(ref['name']));
  return remote === undefined ? null : { ...params, ref: { ...ref, name: remote } };
}

function errorOf(error: unknown, url: string | null): ServerError {
  if (!(error instanceof ProtocolError) || isCallBroken(error))
    return { code: REFUSED, message: explainServerError(error, url), ...(isConnectionLost(error) ? { away: true } : {}) };
  // The official client gives an unknown resource the code of the stateless protocol.
  const code = error instanceof ResourceNotFoundError ? ProtocolErrorCode.ResourceNotFound : error.code;
  return { code, ...messageOf(error) };
}

/** A tool of the server; `validate` accepts everything if its schema cannot be compiled: then only the server validates. */
export interface ServerTool {
  readonly remoteName: string;
  /** The server's original: it may declare arguments that are repeated in headers. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly validate: Validate;
  /** The server only runs it as a task. */
  readonly isTask: boolean;
  /** Null if its results are not validated. */
  readonly validateOutput: Validate | null;
}

interface CallAbout {
  /** Passed on, so that the server can continue the trace. */
  readonly traceparent?: string;
  /** Of the caller's request. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Questions that the caller can answer. */
  readonly asks?: readonly AskKind[];
  /** Id of the calling member. */
  readonly member?: string;
}

/** Passes calls to the server. Results are recorded as the server sent them, with all kinds of content. */
interface ServerCalls {
  run(id: number, tool: ServerTool, argsText: string, about?: CallAbout): Promise<void>;
  validate(tool: ServerTool, argsText: string): readonly CallIssue[];
  abort(id: number): void;
  /** Ids of the running calls. */
  running(): readonly number[];
}

interface ServerCallsOptions {
  readonly link: HostLink;
  /** The connection with the sign-in of a member. Rejects with the reason if there is none. */
  connectionOf(member: string | undefined): Promise<ServerConnection>;
  readonly url: string | null;
  readonly maxResultBytes: number;
  /** The server's current listing of the tool. */
  readAgain(remoteName: string): Promise<Pick<ServerTool, 'inputSchema'> | null>;
  /** The connection is unusable. */
  onLost(how: string, member: string | undefined): void;
}

export function createServerCalls({ link, connectionOf, url, maxResultBytes, readAgain, onLost }: ServerCallsOptions): ServerCalls {
  const calls = new ShortLivedMap<number, AbortController>();

  const fail = (id: number, error: CallError): void => {
    if (calls.delete(id)) link.send({ type: 'error', id }, JSON.stringify(error));
  };

  const succeed = (id: number, result: Said, validate: Validate | null): void => {
    if (result['isError'] === true) return fail(id, failureOf(result));
    const json = toJsonText(result, maxResultBytes, 'digits');
    if (!json.ok) return fail(id, { kind: json.kind, message: json.message });
    const broken = validate === null ? null : outputViolation(result, json.text, validate);
    if (broken !== null) return fail(id, broken);
    if (calls.delete(id)) link.send({ type: 'result', id }, json.text);
  };

  return {
    async run(id, tool, argsText, about = {}) {
      const controller = new AbortController();
      calls.set(id, controller);
      const { args, issues, exact } = readArguments(tool.validate, argsText);
      if (issues.length > 0) return fail(id, invalidArguments(issues));
      restoreSlot(args, exact);
      const progress = (done: number, total: number | null, message: string | null): void =>
        link.send({ type: 'progress', id, done, total, message: message?.slice(0, 1_000) ?? null });
      const call = async (inputSchema: ServerTool['inputSchema']): Promise<Said> =>
        (await connectionOf(about.member)).use(async (client) => {
          const answer = originalAnswer(
            await client.callTool(
              {
                name: tool.remoteName,
                arguments: isRecord(args) ? args : {},
                ...(tool.isTask ? TASK_PARAMS : {}),
                ...metaOf(client, about),
              },
              {
                signal: controller.signal,
                // Without it the client would list all tools to find the headers of this one.
                toolDefinition: { name: tool.remoteName, inputSchema: { ...inputSchema, type: 'object' } },
                // The host enforces the timeout of a call, and aborts it.
                timeout: LIMITS.callTimeoutMostMs,
                onprogress: ({ progress: done, total = null, message = null }) => progress(done, total, message),
              },
            ),
          );
          const task = tool.isTask ? taskOf(answer) : null;
          return task === null ? answer : endOfTask(client, task, controller.signal, (count, message) => progress(count, null, message));
        }, controller.signal);
      try {
        const result = await call(tool.inputSchema).catch(async (error: unknown) => {
          const current = isHeaderMismatch(error) ? await readAgain(tool.remoteName) : null;
          if (current === null) throw error;
          return call(current.inputSchema);
        });
        succeed(id, result, tool.validateOutput);
      } catch (error) {
        // This process ends with the connection, and the host then answers for it.
        if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) return;
        const lost = isConnectionLost(error);
        if (isCallBroken(error)) fail(id, { kind: 'extension_crashed', message: explainServerError(error, url) });
        else if (lost) fail(id, { kind: 'extension_crashed', message: `${explainServerError(error, url)} ${adviceAfter(error)}` });
        else fail(id, callErrorOf(error, url));
        if (lost) onLost(explainServerError(error, url), about.member);
      }
    },
    validate: (tool, argsText) => readArguments(tool.validate, argsText).issues,
    abort(id) {
      const controller = calls.get(id);
      calls.delete(id);
      controller?.abort(new DOMException('This call was abandoned', 'AbortError'));
    },
    running: () => [...calls.keys()],
  };
}

/**
 * The stateless protocol declares the caller's capabilities, and the level of the log messages that it wants, with each request; the
 * older one with the connection. All levels are wanted: the host filters for each of its clients.
 */
function metaOf(client: Client, { traceparent, meta, asks = [] }: CallAbout): { readonly _meta?: Record<string, unknown> } {
  const capabilities = { ...capabilitiesOf(asks), extensions: MCP_APPS };
  const declared =
    client.getProtocolEra() === 'modern' ? { [CLIENT_CAPABILITIES_META_KEY]: capabilities, [LOG_LEVEL_META_KEY]: 'debug' } : {};
  const _meta = { ...meta, ...declared, ...(traceparent === undefined ? {} : { traceparent }) };
  return Object.keys(_meta).length === 0 ? {} : { _meta };
}

/** The server requires other header arguments than its list declares. */
const HEADER_MISMATCH = -32_020;

function isHeaderMismatch(error: unknown): boolean {
  return error instanceof ProtocolError && Number(error.code) === HEADER_MISMATCH;
}

const TEXT_CHARACTERS = 8_192;

/** The server's original answer. */
type Said = Readonly<Record<string, unknown>>;

/** A result with `isError` is an error, with its text as message and the entire result as data. */
function failureOf(result: Said): CallError {
  const message = truncateMessage(textsOf(result).join('\n').trim() || 'The server reported an error without a message.');
  return { kind: 'execution_error', message, ...dataOf(result) };
}

/** Only the texts if the result is too large. */
function dataOf(result: Said): { readonly data?: unknown } {
  const kept = toNotedJsonText(result, DATA_BYTES, 'digits');
  if (kept.ok) return { data: parseExactJson(kept.text) };
  const text = textsOf(result).join('\n');
  if (text === '') return {};
  const cut =
    text.length > TEXT_CHARACTERS ? `${text.slice(0, TEXT_CHARACTERS).toWellFormed()} … (truncated; ${text.length} characters)` : text;
  return { data: { content: [{ type: 'text', text: cut }] } };
}

function textsOf({ content }: Said): readonly string[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.flatMap((block) => {
    if (typeof block === 'string') return [block];
    return isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : [];
  });
}

/** @param text the result as JSON */
function outputViolation(result: Said, text: string, validate: Validate): CallError | null {
  const { structuredContent } = result;
  const found =
    structuredContent === undefined || structuredContent === null
      ? [{ path: '', keyword: 'required', message: 'must have structured content, but it has none' }]
      : issuesOf(validate, holdsBigint(structuredContent) ? withoutBigints(structuredContent) : structuredContent, text).map((issue) => ({
          ...issue,
          path: `/structuredContent${issue.path}`,
        }));
  return found.length === 0 ? null : { ...invalidResult(found, null), ...dataOf(result) };
}

function callErrorOf(error: unknown, url: string | null): CallError {
  if (!(error instanceof ProtocolError)) return { kind: 'execution_error', message: explainServerError(error, url) };
  const kind = error.code === ProtocolErrorCode.InvalidParams ? 'invalid_parameters' : 'execution_error';
  return { kind, ...messageOf(error) };
}

function messageOf({ message, data }: ProtocolError): { readonly message: string; readonly data?: unknown } {
  const kept = data === undefined ? null : toNotedJsonText(data, DATA_BYTES, 'digits');
  return { message: truncateMessage(message), ...(kept?.ok === true ? { data: parseExactJson(kept.text) } : {}) };
}

/**
 * Tools that a server only runs as tasks (2025-11-25): the call starts one, and its result is that of the task. What can go wrong:
 * the call ends first (the task is cancelled); the server neither reports a status nor answers for it (then it is only waited for).
 */
const TASK_PARAMS = { task: { ttl: LIMITS.callTimeoutMostMs } } as const;

const startedSchema = z.object({ task: z.object({ taskId: z.string(), pollInterval: z.number().positive().optional().catch(undefined) }) });
const statusSchema = z.looseObject({ statusMessage: z.string().optional().catch(undefined) });
const anySchema = z.looseObject({});

type StartedTask = z.infer<typeof startedSchema>['task'];

/** Null: the server answered with the result. */
function taskOf(answer: unknown): StartedTask | null {
  return startedSchema.safeParse(answer).data?.task ?? null;
}

type StatusListener = (status: unknown) => void;

/** By connection and id: tasks whose server may report their status before it is asked. */
const followed = new WeakMap<Client, Map<string, StatusListener>>();
const notedSchema = z.looseObject({ taskId: z.string() });

/** For a new connection. */
export function followTasks(client: Client): void {
  const listeners = new Map<string, StatusListener>();
  followed.set(client, listeners);
  // The official client has no handler for notifications of tasks.
  client.fallbackNotificationHandler = async ({ method, params }) => {
    const noted = method === 'notifications/tasks/status' ? notedSchema.safeParse(params).data : undefined;
    if (noted !== undefined) listeners.get(noted.taskId)?.(noted);
  };
}

const POLL_MS = 1_000;
const POLL_MOST_MS = 60_000;

/** @param onStatus called with each new status message, and its number */
async function endOfTask(
  client: Client,
  { taskId, pollInterval = POLL_MS }: StartedTask,
  signal: AbortSignal,
  onStatus: (count: number, message: string) => void,
): Promise<Readonly<Record<string, unknown>>> {
  const over = new AbortController();
  const params = { taskId };
  const cancel = (): void => void client.request({ method: 'tasks/cancel', params }, anySchema).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });

  let [count, last] = [0, ''];
  const note = (status: unknown): void => {
    const { statusMessage = '' } = statusSchema.parse(status);
    if (statusMessage !== last) onStatus((count += 1), statusMessage);
    last = statusMessage;
  };
  const follow = async (): Promise<void> => {
    for (;;) {
      await sleep(Math.min(POLL_MOST_MS, Math.max(POLL_MS, pollInterval)), null, { signal: over.signal, ref: false });
      note(await client.request({ method: 'tasks/get', params }, statusSchema, { signal: over.signal }));
    }
  };
  followed.get(client)?.set(taskId, note);
  follow().catch(() => undefined);
  try {
    // Answered when the task has ended.
    return await client.request({ method: 'tasks/result', params }, anySchema, { signal, timeout: LIMITS.callTimeoutMostMs });
  } finally {
    over.abort();
    followed.get(client)?.delete(taskId);
    signal.removeEventListener('abort', cancel);
  }
}
