import type { CallError, CallIssue, CallLog, CallProgress } from '#lib/contract/call.ts';
import type { ExtensionKind, ExtensionLogLine, ExtensionRuntime, ExtensionStatus } from '#lib/contract/extension.ts';
import type { FailedCheck } from '#lib/contract/failure.ts';
import type { FailureCode } from '#lib/contract/failure-codes.ts';
import type { JsonSchema, ToolAnnotations } from '#lib/contract/tool.ts';

/**
 * The one interface behind which an extension runs: goose's trait (name, description, instructions, tools,
 * status, callTool) plus start and close. Everything above this file sees only what stands here, never a process.
 */

/** What the builder made and a runtime can run. All paths are absolute. */
export interface Artifact {
  readonly extension: string;
  readonly kind: ExtensionKind;
  readonly runtime: ExtensionRuntime;
  /** sha256 over sources; the same content is the same artifact. */
  readonly contentHash: string;
  /** The extension's own folder; read and write are granted here. */
  readonly folder: string;
  /** The entry file as its author wrote it. */
  readonly entryFile: string;
  /** The file that the child imports. */
  readonly programFile: string;
}

/** What an extension declares of one tool, already normalised: `parameters` is JSON Schema. */
export interface ToolDescription {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly outputSchema: JsonSchema | null;
  readonly annotations: ToolAnnotations;
  /** The `_meta` of a tool of an MCP server. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly timeoutMs: number | null;
  readonly examples: readonly unknown[];
  readonly warnings: readonly string[];
}

/** What an extension declares; JSON, kept with its revision and trusted at the next start while the content is the same. */
export interface ExtensionDescription {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly tools: readonly ToolDescription[];
  readonly hasStatus: boolean;
  /** How its `send` takes a message: the message, or what came in last from that recipient and a text. Null: it is no channel. */
  readonly channel: { readonly send: 'message' | 'answer' } | null;
  readonly warnings: readonly string[];
}

/** A message as a channel's functions see it. `sender` is the actor; whom an outbound one is for stands in `metadata.recipient`. */
export interface ChannelMessage {
  readonly text: string;
  readonly sender: string;
  readonly channel: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** `ended`: the process went away, or the extension was closed; whatever was asked may or may not have happened. */
export type ChannelOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: 'threw' | 'invalid' | 'timeout' | 'ended'; readonly message: string };

/**
 * The three functions of a channel in its process. None rejects. Whoever loops over them owns the pace: one `recv` is
 * asked for at a time, and what it brings is handed over exactly once.
 */
export interface RunningChannel {
  /** Starts the process if none runs (waiting out a backoff), then calls `connect`. At most LIMITS.channelConnectMs. */
  connect(): Promise<ChannelOutcome<void>>;
  /** Waits for the next message, for as long as it takes. `invalid`: what came is no message; the next may be. */
  recv(): Promise<ChannelOutcome<ChannelMessage>>;
  /** `answering`: what came in last from that recipient, for a `send` that takes it. At most LIMITS.channelSendMs. */
  send(message: ChannelMessage, answering: ChannelMessage | null): Promise<ChannelOutcome<void>>;
  /** Nobody loops over it any more: `close` of the extension, which waits for this at most `drainMs`, may end its process. Idempotent. */
  release(): void;
}

/** A failure as the place that saw it knows it; the loader completes it to a record (code frame, fingerprint, counts). */
export interface RawFailure {
  readonly code: FailureCode;
  readonly message: string;
  /** Absent: the table's hint. */
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
  /** Where in the exports the fault is, e.g. `['TOOLS', 1, 'parameters']`; the loader finds its line. */
  readonly subject?: readonly (string | number)[];
  /** With `duplicate_tool_name`: the name that another extension has, and which one that is. */
  readonly taken?: { readonly name: string; readonly owner: string };
  /** With `check_failed`: what did not pass. The same checks failing is one fault, whatever came of them. */
  readonly failedChecks?: readonly FailedCheck[];
}

export type CallOutcome =
  /** `resultText` is JSON text as the child made it; the host does not parse it. */
  | { readonly status: 'succeeded'; readonly resultText: string }
  | { readonly status: 'failed' | 'timed_out' | 'cancelled'; readonly error: CallError };

export interface CallHooks {
  readonly callId: string;
  /** Of the span of this call (W3C); absent where nobody collects spans. */
  readonly traceparent?: string | undefined;
  readonly timeoutMs: number;
  /** The limit counts from the last progress that the tool reported, and the call takes this long at most. Absent: progress extends nothing. */
  readonly extendedMs?: number | undefined;
  /** Aborting cancels the call. */
  readonly signal: AbortSignal;
  /** A text that the call said, for the extension's own log and what is shown of a failure. Absent where the call was given no secret. */
  withoutSecrets?(text: string): string;
  onLog(log: CallLog): void;
  onProgress(progress: CallProgress): void;
}

export interface ProcessState {
  readonly state: 'none' | 'starting' | 'running' | 'backoff' | 'stopped' | 'crash_loop';
  readonly pid: number | null;
  /** Unexpected exits since the content last changed or a person pressed Restart. */
  readonly restarts: number;
  /** Epoch milliseconds. */
  readonly retryAt: number | null;
}

/** One revision of one extension, able to answer calls. Owned by whoever loaded it; `close` ends its process. */
export interface RunningExtension {
  /** The newest; `described` tells of a change. */
  readonly description: ExtensionDescription;
  process(): ProcessState;
  /** The newest LIMITS.extensionLogBytes of what it printed; `dropped`: how many lines stood before the first of these. */
  logs(): { readonly lines: readonly ExtensionLogLine[]; readonly truncated: boolean; readonly dropped: number };
  /** Null when it has no `status()` or no process runs; never starts one. */
  status(): Promise<ExtensionStatus | null>;
  /**
   * Runs one call: starts the process if none runs (waiting out a backoff), validates in the child, applies defaults.
   * Never rejects; a late answer after timeout or cancel is dropped. `args` is what the caller gave, as JSON text.
   */
  callTool(tool: string, argsText: string, hooks: CallHooks): Promise<CallOutcome>;
  /** Validates without running; used where a form asks. */
  validate(tool: string, argsText: string): Promise<readonly CallIssue[]>;
  callsInFlight(): number;
  /** Null when it is no channel. */
  readonly channel: RunningChannel | null;
  /** Forgets crashes and starts afresh: what a person's Restart does. Calls in flight end as `extension_crashed`. */
  restart(): Promise<RawFailure | null>;
  /** No new calls; lets running ones finish for at most `drainMs`, then ends the process. Idempotent. */
  close(drainMs: number): Promise<void>;
}

/** A file of an extension that its process loaded at run time, with what tells a change of it; taken before it was read. */
export interface LoadedFile {
  /** Absolute. */
  readonly path: string;
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
  readonly ino: string;
}

/** Something that happened to a living extension outside of any answer. */
export type Incident =
  | { readonly type: 'log'; readonly line: ExtensionLogLine }
  | { readonly type: 'process'; readonly state: ProcessState }
  /** Its tools are others now while its content is the same: what an MCP server tells of itself. */
  | { readonly type: 'described'; readonly description: ExtensionDescription }
  /** Also while it is loaded, and before a load fails. */
  | { readonly type: 'loaded'; readonly files: readonly LoadedFile[] }
  /** Becomes a failure record with stage `run`. `crash_loop` also makes the extension `failed`. */
  | { readonly type: 'failure'; readonly failure: RawFailure };

/**
 * What a child reports of a freshly imported module: JSON, with what JSON cannot carry replaced by a mark
 * `{ "@@type": "function" | "undefined" | "symbol" | "bigint" | "circular" | "accessor" | … }`. Hostile until checked:
 * the runtime bounds its size, `DescribeExtension` checks its shape, once for every language.
 */
export interface RawDescription {
  /** Names of the module's exports, at most 200. */
  readonly exports: readonly string[];
  /** The values of the exports TOOL, TOOLS, NAME/name, DESCRIPTION/description, INSTRUCTIONS/instructions, where present. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly hasStatus: boolean;
  /**
   * One-file tools: what the doc comment and the type hints of `run` say, `{description, parameters, warnings}`; channels: what
   * their doc comments say, `{description}`. Absent when nothing could be read.
   */
  readonly hints?: unknown;
  /** How many parameters `send` declares that must be given; absent where there is no such function. */
  readonly sendParameters?: number;
  /** What the child noticed of each tool, in their order. */
  readonly toolWarnings?: readonly (readonly string[])[];
  /** `TOOLS/1/parameters` → line and column in the entry file, where the child read its text; both from 1. */
  readonly places?: Readonly<Record<string, readonly [number, number]>>;
}

/** Turns what a child reported into a description, or says what is wrong with it. Pure; lives in `lib/loader`. */
export type DescribeExtension = (
  raw: RawDescription,
) => { readonly ok: true; readonly description: ExtensionDescription } | { readonly ok: false; readonly failure: RawFailure };

export interface ReviveOptions {
  onIncident(incident: Incident): void;
  /** For extensions that may describe themselves anew while they run. */
  readonly redescribe?: DescribeExtension | undefined;
}

export interface LoadOptions extends ReviveOptions {
  readonly signal: AbortSignal;
  readonly describe: DescribeExtension;
}

export type LoadOutcome =
  | { readonly ok: true; readonly extension: RunningExtension }
  | { readonly ok: false; readonly failure: RawFailure };

/** One for each kind of runtime: `node` here; `python` and `mcp` implement the same. */
export interface Runtime {
  readonly kind: ExtensionRuntime;
  /** Starts (or takes a warm spare), imports, describes. Bounded by the load limit. */
  load(artifact: Artifact, options: LoadOptions): Promise<LoadOutcome>;
  /** Trusts a description from an earlier load of the same content; the process starts at first use. */
  revive(artifact: Artifact, description: ExtensionDescription, options: ReviveOptions): RunningExtension;
  /** Lets the pool prepare spares for these folders; called after each scan. */
  prepare(folders: readonly string[]): void;
  /** A load of this extension will most likely be asked for in a moment; what can be done ahead is. */
  expect?(artifact: Pick<Artifact, 'extension' | 'folder'>): void;
  close(): Promise<void>;
}
