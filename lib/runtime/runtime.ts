import type { Answerer } from '#lib/contract/client-asks.ts';
import type { CallError, CallIssue, WatchedLog, CallProgress } from '#lib/contract/call.ts';
import type { ExtensionKind, ExtensionLogLine, KeptReason, ExtensionRuntime, ExtensionStatus } from '#lib/contract/extension.ts';
import type { FailedCheck } from '#lib/contract/failure.ts';
import type { FailureCode } from '#lib/contract/failure-codes.ts';
import type { Icon } from '#lib/contract/mcp-content.ts';
import type { ServerError, ServerFeatures, ServerNotice, ServerRequestMethod } from '#lib/contract/server-features.ts';
import type { JsonSchema, ToolAnnotations } from '#lib/contract/tool.ts';

/**
 * The interface of every runtime: goose's trait (name, description, instructions, tools, status, callTool) plus start and close.
 * Code above this file never sees a process.
 */

/** The builder's output, which a runtime can run. All paths are absolute. */
export interface Artifact {
  readonly extension: string;
  readonly kind: ExtensionKind;
  readonly runtime: ExtensionRuntime;
  /** sha256 of the sources; equal sources are the same artifact. */
  readonly contentHash: string;
  /** The extension's own folder; read and write are granted here. */
  readonly folder: string;
  /** The source entry file. */
  readonly entryFile: string;
  /** The file that the child imports. */
  readonly programFile: string;
  /** Folder with its installed dependencies: a virtual environment, or a `node_modules`. Absent without one. */
  readonly environment?: string | undefined;
  /** Names of the secrets it uses; absent: none. */
  readonly secrets?: readonly string[];
}

/** An extension's declaration of one tool, already normalised: `parameters` is JSON Schema. */
export interface ToolDescription {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly outputSchema: JsonSchema | null;
  readonly annotations: ToolAnnotations;
  /** The `_meta` of a tool of an MCP server. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly icons?: readonly Icon[] | undefined;
  /** A tool of an MCP server that may run as a task. */
  readonly isTask?: boolean | undefined;
  /** Its name at the MCP server. */
  readonly remoteName?: string | undefined;
  readonly timeoutMs: number | null;
  readonly examples: readonly unknown[];
  readonly warnings: readonly string[];
}

/** An extension's declaration; JSON, stored with its revision and trusted at the next start while the source is unchanged. */
export interface ExtensionDescription {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly tools: readonly ToolDescription[];
  readonly hasStatus: boolean;
  /** The argument of its `send`: the message, or the last inbound message of that recipient and a text. Null: not a channel. */
  readonly channel: { readonly send: 'message' | 'answer' } | null;
  /** Why its process does not end without calls; null: it may. Absent in descriptions of earlier versions: unknown. */
  readonly kept?: KeptReason | null | undefined;
  /** Of an MCP server; absent for other extensions. */
  readonly features?: ServerFeatures | undefined;
  readonly icons?: readonly Icon[] | undefined;
  readonly warnings: readonly string[];
}

/** A message for a channel's functions. `sender` is the actor; the recipient of an outbound one is in `metadata.recipient`. */
export interface ChannelMessage {
  readonly text: string;
  readonly sender: string;
  readonly channel: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The same for each attempt to send it; of an inbound one, given by its channel. A second one with it is dropped. */
  readonly idempotency_key?: string;
}

/** `ended`: the process ended, or the extension was closed; the request may or may not have been carried out. */
export type ChannelOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: 'threw' | 'invalid' | 'timeout' | 'ended'; readonly message: string };

/**
 * The three functions of a channel in its process. None rejects. The caller's loop sets the pace: one `recv` runs at a time, and
 * each message is delivered exactly once.
 */
export interface RunningChannel {
  /** Starts the process if none runs (after any backoff), then calls `connect`. At most LIMITS.channelConnectMs. */
  connect(): Promise<ChannelOutcome<void>>;
  /** Waits for the next message without a limit. `invalid`: the value is no message; the next may be valid. */
  recv(): Promise<ChannelOutcome<ChannelMessage>>;
  /** `answering`: the last inbound message of that recipient, if `send` accepts it. At most LIMITS.channelSendMs. */
  send(message: ChannelMessage, answering: ChannelMessage | null): Promise<ChannelOutcome<void>>;
  /** The loop has ended: `close` of the extension, which waits for this at most `drainMs`, may end its process. Idempotent. */
  release(): void;
}

/** A failure as reported by its source; the loader completes it to a record (code frame, fingerprint, counts). */
export interface RawFailure {
  readonly code: FailureCode;
  readonly message: string;
  /** Absent: the hint of the code's table. */
  readonly hint?: string;
  /** Absolute path of the source file. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  /** In source positions, own frames first. */
  readonly stack?: string;
  readonly output?: string;
  /** The faulty part of the exports, e.g. `['TOOLS', 1, 'parameters']`; the loader finds its line. */
  readonly subject?: readonly (string | number)[];
  /** With `duplicate_tool_name`: the name, and the extension that owns it. */
  readonly taken?: { readonly name: string; readonly owner: string };
  /** With `check_failed`: the failed checks. The same failed checks are one failure, independent of their results. */
  readonly failedChecks?: readonly FailedCheck[];
}

export type CallOutcome =
  /** `resultText` is JSON text from the child; the host does not parse it. */
  | { readonly status: 'succeeded'; readonly resultText: string }
  | { readonly status: 'failed' | 'timed_out' | 'cancelled'; readonly error: CallError };

export type RequestOutcome =
  /** `resultText` is JSON text from the child; the host does not parse it. */
  { readonly ok: true; readonly resultText: string } | { readonly ok: false; readonly error: ServerError };

/** The caller of a request. */
export type RequestFrom = Pick<CallHooks, 'answerer' | 'member'>;

export interface CallHooks {
  readonly callId: string;
  /** Of the call's span (W3C); absent without tracing. */
  readonly traceparent?: string | undefined;
  /** `_meta` of the caller's request, for an MCP server. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly timeoutMs: number;
  /** The limit counts from the tool's last progress, up to this total. Absent: progress does not extend it. */
  readonly extendedMs?: number | undefined;
  /** Aborting cancels the call. */
  readonly signal: AbortSignal;
  /** Removes secrets from the call's output, for the extension's log and failures. Absent if the call has no secrets. */
  withoutSecrets?(text: string): string;
  onLog(log: WatchedLog): void;
  onProgress(progress: CallProgress): void;
  /** Id of the calling member, whose sign-in at an MCP server is used; absent if there is none. */
  readonly member?: string | undefined;
  /** Absent: nobody can answer questions of a server. Its time does not count towards the limit. */
  readonly answerer?: Answerer | undefined;
}

export interface ProcessState {
  readonly state: 'none' | 'starting' | 'running' | 'backoff' | 'stopped' | 'crash_loop';
  readonly pid: number | null;
  /** Unexpected exits since the last source change or Restart. */
  readonly restarts: number;
  /** Epoch milliseconds. */
  readonly retryAt: number | null;
  /** Why it does not end without calls; null: it does, or processes never do. */
  readonly kept: KeptReason | null;
}

/** One revision of one extension, able to answer calls. Owned by its loader; `close` ends its process. */
export interface RunningExtension {
  /** The newest; `described` notifies of a change. */
  readonly description: ExtensionDescription;
  /** The same object while nothing of it changes. */
  process(): ProcessState;
  /**
   * Whether a person chose to keep its process without calls; null: KEEP_ALIVE, or state in memory, decides. Called before the
   * extension serves, too: the time without calls begins then.
   */
  keepAlive(choice: boolean | null): void;
  /** The newest LIMITS.extensionLogBytes of its output; `dropped`: number of lines before the first of these. */
  logs(): { readonly lines: readonly ExtensionLogLine[]; readonly truncated: boolean; readonly dropped: number };
  /** Null if it has no `status()` or no process runs; never starts one. */
  status(): Promise<ExtensionStatus | null>;
  /**
   * Runs one call: starts the process if none runs (after any backoff), validates in the child, applies defaults. Never rejects; a
   * late answer after timeout or cancel is dropped. `args` is the caller's JSON text.
   */
  callTool(tool: string, argsText: string, hooks: CallHooks): Promise<CallOutcome>;
  /** Validates without running; used by forms. */
  validate(tool: string, argsText: string): Promise<readonly CallIssue[]>;
  /**
   * Passes a request about resources, prompts or completion to the MCP server: starts its process if none runs. Never rejects;
   * aborting `signal` cancels it. Only for extensions with `features`. `paramsText` is JSON. Without an answerer nobody can
   * answer what the server asks.
   */
  request(method: ServerRequestMethod, paramsText: string, signal: AbortSignal, from?: RequestFrom): Promise<RequestOutcome>;
  callsInFlight(): number;
  /** Null if it is not a channel. */
  readonly channel: RunningChannel | null;
  /** Resets crashes and restarts; `why` is logged. Calls in flight end as `extension_crashed`. */
  restart(why: string): Promise<RawFailure | null>;
  /** Refuses new calls; lets running ones finish for at most `drainMs`, then ends the process. Idempotent. */
  close(drainMs: number): Promise<void>;
}

/** A file that an extension loaded at run time, with its metadata from before it was read, which reveals a change. */
export interface LoadedFile {
  /** Absolute. */
  readonly path: string;
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
  readonly ino: string;
}

/** An event of a running extension outside of any result. */
export type Incident =
  | { readonly type: 'log'; readonly line: ExtensionLogLine }
  | { readonly type: 'process'; readonly state: Omit<ProcessState, 'kept'> }
  /** Its tools changed without a source change: an MCP server reported a new description. */
  | { readonly type: 'described'; readonly description: ExtensionDescription }
  /** An MCP server reports something to its clients. */
  | { readonly type: 'notice'; readonly notice: ServerNotice }
  /** Also while loading, and before a load fails. */
  | { readonly type: 'loaded'; readonly files: readonly LoadedFile[] }
  /** Becomes a failure record with stage `run`. `crash_loop` also makes the extension `failed`. */
  | { readonly type: 'failure'; readonly failure: RawFailure };

/**
 * A child's report of an imported module: JSON, with unsupported values replaced by a mark `{ "@@type": "function" | "undefined" |
 * "symbol" | "bigint" | "circular" | "accessor" | … }`. Untrusted: the runtime bounds its size, `DescribeExtension` validates its
 * shape, once for every language.
 */
export interface RawDescription {
  /** Names of the module's exports, at most 200. */
  readonly exports: readonly string[];
  /** The values of the exports TOOL, TOOLS, NAME/name, DESCRIPTION/description, INSTRUCTIONS/instructions, KEEP_ALIVE, where present. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly hasStatus: boolean;
  /** Whether calls may change what its modules keep in memory; absent: unknown. */
  readonly hasState?: boolean;
  /**
   * One-file tools: doc comment and type hints of `run`, `{description, parameters, warnings}`; channels: their doc comments,
   * `{description}`. Absent if none could be read.
   */
  readonly hints?: unknown;
  /** Number of required parameters of `send`; absent if there is no such function. */
  readonly sendParameters?: number;
  /** The child's warnings for each tool, in their order. */
  readonly toolWarnings?: readonly (readonly string[])[];
  /** `TOOLS/1/parameters` → line and column in the entry file, read from its text; both from 1. */
  readonly places?: Readonly<Record<string, readonly [number, number]>>;
}

/** Validates a child's report and returns a description or the error. Pure; implemented in `lib/loader`. */
export type DescribeExtension = (
  raw: RawDescription,
) => { readonly ok: true; readonly description: ExtensionDescription } | { readonly ok: false; readonly failure: RawFailure };

export interface ReviveOptions {
  onIncident(incident: Incident): void;
  /** For extensions that may change their description while they run. */
  readonly redescribe?: DescribeExtension | undefined;
}

export interface LoadOptions extends ReviveOptions {
  readonly signal: AbortSignal;
  readonly describe: DescribeExtension;
}

export type LoadOutcome =
  | { readonly ok: true; readonly extension: RunningExtension }
  | { readonly ok: false; readonly failure: RawFailure };

/** One per kind: `node`, `python` and `mcp`. */
export interface Runtime {
  readonly kind: ExtensionRuntime;
  /** Starts (or takes a prewarmed process), imports, describes. Bounded by the load limit. */
  load(artifact: Artifact, options: LoadOptions): Promise<LoadOutcome>;
  /** Trusts a description of an earlier load of the same source; the process starts at first use. */
  revive(artifact: Artifact, description: ExtensionDescription, options: ReviveOptions): RunningExtension;
  /** Prepares prewarmed processes for these folders; called after each scan. */
  prepare(folders: readonly string[]): void;
  /** A load of this extension is likely soon; prepares for it. */
  expect?(artifact: Pick<Artifact, 'extension' | 'folder'>): void;
  /** Ends a process of any runtime that is not needed now: a file cannot be read, since no file descriptor is left. */
  makeSpace?(): void;
  close(): Promise<void>;
}
