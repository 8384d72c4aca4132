import type { AskKind } from '#lib/contract/client-asks.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import type { ServerRequestMethod } from '#lib/contract/server-features.ts';

/**
 * The messages between the host and an extension's process.
 *
 *     host                                child
 *      |  <- hello                          it runs; nothing of the extension is loaded
 *      |  cut ->                            drops permissions ahead of an expected load; optional
 *      |  load ->                           drops permissions, sets its environment, imports; sent at once to a new process
 *      |  <- raw (or failed, refused)       exports of the module
 *      |  tools ->                          compiles schemas; sent at once if the description is known
 *      |  <- ready (or failed)
 *      |  call, validate, request, reply, status, channel, abort, ping ->
 *      |  <- result, error, issues, answer, status, channel, pong; log, progress, trace, stray, loaded, notice, ask, exiting at any time
 */
export const PROTOCOL_VERSION = 1;

/** Limit for the payload of `raw`, in bytes; larger ones are not parsed. */
export const DESCRIPTION_BYTES = 8_388_608;

/** Limit for files that one process reports as loaded at run time. */
export const LOADED_MOST = 500;

/** Permissions to drop before the import, and those that must be denied afterwards, or the process is ended. */
export interface CutMessage {
  readonly type: 'cut';
  /** As `[permission, path?]`. */
  readonly drops: readonly (readonly [string, string?])[];
  readonly mustNotHave: readonly (readonly [string, string?])[];
}

export interface LoadMessage extends Pick<CutMessage, 'drops' | 'mustNotHave'> {
  readonly type: 'load';
  readonly extension: string;
  readonly program: string;
  /** Stack frames below these folders are the extension's own. */
  readonly ownFolders: readonly string[];
  readonly workspaceRoot: string;
  readonly environment: Readonly<Record<string, string>>;
  /** For `${secret:NAME}` in the entry of an MCP server; others have them in their environment. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Whether the host wants the raw description. */
  readonly describe: boolean;
  readonly maxResultBytes: number;
}

export type HostMessage =
  | CutMessage
  | LoadMessage
  /** Payload: JSON list of ToolSchemas. `eager`: compile all now and report the first invalid one. */
  | { readonly type: 'tools'; readonly eager: boolean }
  /** Payload: the arguments as JSON text. */
  | {
      readonly type: 'call';
      readonly id: number;
      readonly tool: number;
      readonly callId: string;
      readonly traceparent?: string;
      /** Only to the process of an MCP server. */
      readonly meta?: Readonly<Record<string, unknown>>;
      readonly asks?: readonly AskKind[];
      /** Id of the calling member. */
      readonly member?: string;
    }
  /** Payload: the arguments as JSON text. */
  | { readonly type: 'validate'; readonly id: number; readonly tool: number }
  /** Only to the process of an MCP server. Payload: the params as JSON text. */
  | {
      readonly type: 'request';
      readonly id: number;
      readonly method: ServerRequestMethod;
      readonly asks?: readonly AskKind[];
      readonly member?: string;
    }
  /** Payload: the AskReply. */
  | { readonly type: 'reply'; readonly id: number }
  /** Only to the process of an MCP server. Payload: ServerToken. */
  | { readonly type: 'token'; readonly id: number }
  | { readonly type: 'status'; readonly id: number }
  /** Whether it may end, because no call runs. */
  | { readonly type: 'idle'; readonly id: number }
  /** Payload: the arguments of that function, a JSON list. */
  | { readonly type: 'channel'; readonly id: number; readonly step: 'connect' | 'recv' | 'send' }
  | { readonly type: 'abort'; readonly id: number; readonly reason: 'timeout' | 'cancelled' }
  | { readonly type: 'ping'; readonly id: number }
  /** Only to the guard. Payload: the schema as JSON text; `id` identifies it in later checks. */
  | { readonly type: 'schema'; readonly id: number }
  /** Only to the guard. Payload: the value to validate, as JSON text. */
  | { readonly type: 'check'; readonly id: number; readonly schema: number; readonly what: 'schema' | 'arguments' | 'result' };

/** Facts about a tool for the child, in the order of the exports. */
export interface ToolSchemas {
  readonly name: string;
  readonly parameters: unknown;
  readonly outputSchema: unknown;
}

export type ChildMessage =
  | { readonly type: 'hello' }
  /** A permission could not be dropped. */
  | { readonly type: 'refused' }
  /** Payload: RawDescription. The process of an MCP server sends it again when its tools change. */
  | { readonly type: 'raw' }
  /** Files that the extension loads at run time. Payload: list of LoadedFile; before `raw` or `failed`, and when there are more. */
  | { readonly type: 'loaded' }
  | { readonly type: 'ready' }
  /** Payload: FailureReport. */
  | { readonly type: 'failed' }
  /** Payload: the result as JSON text. */
  | { readonly type: 'result'; readonly id: number }
  /** Payload: CallError. */
  | { readonly type: 'error'; readonly id: number }
  /** Payload: list of CallIssue. */
  | { readonly type: 'issues'; readonly id: number }
  /** Payload: ExtensionStatus. */
  | { readonly type: 'status'; readonly id: number }
  /** Payload: for `recv` the message as JSON, else empty. For `threw` or `invalid`: the reason, as text. */
  | { readonly type: 'channel'; readonly id: number; readonly how: 'done' | 'threw' | 'invalid' }
  | { readonly type: 'pong'; readonly id: number }
  /** Remaining activity, such as a timer; null for none. */
  | { readonly type: 'idle'; readonly id: number; readonly activity: string | null }
  /** `id` 0: outside of any call. Payload: `{message, data?}`. */
  | { readonly type: 'log'; readonly id: number; readonly level: LogLevel }
  | {
      readonly type: 'progress';
      readonly id: number;
      readonly done: number;
      readonly total: number | null;
      readonly message: string | null;
    }
  /** Payload: the result as JSON text, or a ServerError. */
  | { readonly type: 'answer'; readonly id: number; readonly ok: boolean }
  /** A tool, or an MCP server, asks the caller of a call or of a request. Payload: ClientAsk. */
  | { readonly type: 'ask'; readonly id: number; readonly call: number }
  /** The process of an MCP server asks for its access token. Payload: TokenAsk. */
  | { readonly type: 'token'; readonly id: number }
  /** An MCP server reports something. Payload: ServerNotice. */
  | { readonly type: 'notice' }
  /** A line only for the extension's log, such as where a call threw. Payload: text. */
  | { readonly type: 'trace'; readonly id: number }
  /** An uncaught error outside of a call's result. Payload: text. */
  | { readonly type: 'stray' }
  /** The program is about to end its own process. Payload: FailureReport with the location. */
  | { readonly type: 'exiting' }
  /** Only from the guard. Payload: arguments with their defaults; else CallError, for a schema `{path, message}`. */
  | { readonly type: 'checked'; readonly id: number; readonly ok: boolean };

/** Why a child could not load the extension. */
export interface FailureReport {
  readonly code:
    | 'unreadable'
    | 'syntax_error'
    | 'import_unresolved'
    | 'import_error'
    | 'process_exited'
    | 'parameters_invalid'
    | 'tool_invalid'
    | 'type_unsupported'
    | 'config_missing'
    | 'runtime_missing'
    | 'field_invalid'
    | 'server_sign_in_needed'
    | 'mcp_error';
  readonly message: string;
  readonly hint?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly stack?: string;
  readonly subject?: readonly (string | number)[];
}

/**
 * The variable that marks every process of an extension. It is in the start environment of the process (`/proc/<pid>/environ`),
 * which its children inherit. Its value is `<data folder>.<host>.<process>.`, so a sweep can cover one data folder or one process.
 */
export const OWNER_VARIABLE = 'SWITCHBOARD_OWNER';

/** Reports where in a tool's schema a validator failed. `wrong.path` is a JSON Pointer into the schema. */
export function invalidSchema(
  tool: string,
  subject: readonly (string | number)[],
  field: string,
  wrong: { readonly path: string; readonly message: string },
): FailureReport {
  const keys = wrong.path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const where = wrong.path === '' ? `\`${field}\` of ${tool}` : `\`${field}\` of ${tool} at ${wrong.path}`;
  return { code: 'parameters_invalid', message: `${where} ${wrong.message}`, subject: [...subject, field, ...keys] };
}
