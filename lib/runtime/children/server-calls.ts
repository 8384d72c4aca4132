import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';
import { holdsBigint, withoutBigints } from '#lib/contract/big-integers.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ShortLivedMap } from '#lib/memory/short-lived.ts';
import { invalidArguments, invalidResult, issuesOf, restoreSlot, readArguments } from './check-values.ts';
import { originalAnswer } from './lenient-transport.ts';
import { adviceAfter, explainServerError, isCallBroken, isConnectionLost } from './server-errors.ts';
import { isRecord } from '../frames.ts';
import { truncateMessage } from './thrown.ts';
import { toJsonText, toNotedJsonText } from './to-json.ts';
import { capabilitiesOf } from '#lib/contract/client-asks.ts';
import { MCP_APPS } from '#lib/contract/mcp-apps.ts';
import { endOfTask, taskOf, TASK_PARAMS } from './server-tasks.ts';
import type { AskKind } from '#lib/contract/client-asks.ts';
import type { Client } from '@modelcontextprotocol/client';
import type { CallError, CallIssue } from '#lib/contract/call.ts';
import type { HostLink } from './host-link.ts';
import type { Validate } from './validators.ts';
import type { ServerConnection } from './server-connection.ts';

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

export interface CallAbout {
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
export interface ServerCalls {
  run(id: number, tool: ServerTool, argsText: string, about?: CallAbout): Promise<void>;
  validate(tool: ServerTool, argsText: string): readonly CallIssue[];
  abort(id: number): void;
  /** Ids of the running calls. */
  running(): readonly number[];
}

export interface ServerCallsOptions {
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
        else fail(id, errorOf(error, url));
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
export function metaOf(client: Client, { traceparent, meta, asks = [] }: CallAbout): { readonly _meta?: Record<string, unknown> } {
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

const DATA_BYTES = 65_536;
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

function errorOf(error: unknown, url: string | null): CallError {
  if (!(error instanceof ProtocolError)) return { kind: 'execution_error', message: explainServerError(error, url) };
  const kind = error.code === ProtocolErrorCode.InvalidParams ? 'invalid_parameters' : 'execution_error';
  const kept = error.data === undefined ? null : toNotedJsonText(error.data, DATA_BYTES, 'digits');
  return { kind, message: truncateMessage(error.message), ...(kept?.ok === true ? { data: parseExactJson(kept.text) } : {}) };
}
