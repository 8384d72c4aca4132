import type { Accounts } from '#lib/accounts/accounts.ts';
import type { IsolationLevel } from '#lib/contract/health.ts';
import type { Channel, ChannelList, ChannelSettings, InjectMessage, Message, MessagePage, SendMessage } from '#lib/contract/channel.ts';
import type { Call, CallFilter, CallPage, CallSource, CallStats, CallStatsQuery, CallWatcher, RecordedEnd } from '#lib/contract/call.ts';
import type { AnswerRequest } from '#lib/contract/client-asks.ts';
import type { EventType, HostEvent } from '#lib/contract/events.ts';
import type { ConflictChoice, Extension, ExtensionDetail, ExtensionList, ReloadReport, WatchState } from '#lib/contract/extension.ts';
import type {
  FailureChanges,
  FailureGroupDetail,
  FailureSource,
  GroupChange,
  GroupCounts,
  GroupFilter,
  GroupPage,
  OccurrencePage,
  Presence,
  PresenceNote,
} from '#lib/contract/failure-group.ts';
import type { InstanceList } from '#lib/contract/instance.ts';
import type { LastHour } from '#lib/contract/last-hour.ts';
import type { Result } from '#lib/contract/result.ts';
import type { RevisionComparison, RevisionPair } from '#lib/contract/revision-comparison.ts';
import type { SaveCall, SavedCall, SavedCallChange, SavedCallList, SavedCallOutcome } from '#lib/contract/saved-call.ts';
import type { PageQuery, SnapshotFilter, SnapshotPage, SnapshotRecord } from '#lib/contract/snapshot.ts';
import type { Undone, UndoPlan, UndoRequest } from '#lib/contract/source-file.ts';
import type { Tool, ToolList } from '#lib/contract/tool.ts';
import type { ProbeReport, ProbeRequest } from '#lib/contract/probe.ts';
import type { HostConfig } from './config.ts';
import type { HostSignIns } from './host-sign-ins.ts';
import type { ExtensionDependencyActions } from './extension-dependencies.ts';
import type { ExtensionReports } from './extension-reports.ts';
import type { HostConflicts } from './file-conflicts.ts';
import type { HostSecrets } from './host-secrets.ts';
import type { HostToolsets } from './host-toolsets.ts';
import type { HostServerList } from './host-server-list.ts';
import type { HostServers } from './host-servers.ts';
import type { Logger } from './logger.ts';
import type { SourceFiles } from './source-files.ts';

/**
 * The program behind the pages and routes: plain TypeScript without Next and React. One Host per process, created by
 * `createHost`, accessed through `current-host.ts`. Pages and route handlers use the same methods.
 */
export interface Host {
  readonly config: HostConfig;
  readonly logger: Logger;
  readonly extensions: HostExtensions;
  readonly tools: HostTools;
  readonly calls: HostCalls;
  readonly savedCalls: HostSavedCalls;
  readonly probes: HostProbes;
  readonly failures: HostFailures;
  readonly channels: HostChannels;
  readonly servers: HostServers;
  readonly signIns: HostSignIns;
  readonly serverList: HostServerList;
  readonly toolsets: HostToolsets;
  readonly conflicts: HostConflicts;
  readonly instances: HostInstances;
  readonly secrets: HostSecrets;
  readonly snapshots: HostSnapshots;
  readonly sources: SourceFiles;
  readonly events: HostEvents;
  /** Null without accounts: one user, on this machine. */
  readonly accounts: Accounts | null;
  health(): HostHealth;
  /** The host's metrics in the Prometheus text format. */
  metrics(): Promise<string>;
  /** Resolves once the first load is done. */
  readonly ready: Promise<void>;
  /**
   * Stops loops, drains calls, ends children, closes the database. Idempotent.
   * @param drainMs how long running calls may continue before they are cancelled; LIMITS.drainMs by default
   */
  close(drainMs?: number): Promise<void>;
}

export interface HostHealth {
  readonly status: 'ok' | 'starting' | 'stopping' | 'degraded';
  readonly ready: boolean;
  readonly snapshot_version: number;
  readonly extensions: { readonly total: number; readonly ready: number; readonly degraded: number; readonly failed: number };
  readonly storage: { readonly ok: boolean; readonly reason: string | null };
  /** Whether the extensions folder exists and is readable. */
  readonly extensions_dir: { readonly ok: boolean; readonly reason: string | null };
  readonly isolation: { readonly level: string; readonly detail: readonly string[]; readonly levels: readonly IsolationLevel[] };
  /** Extensions that other instances serve and this one does not; `/readyz?strict` answers 503 for them. */
  readonly served_only_elsewhere?: readonly string[];
  readonly uptime_s: number;
}

export interface HostProbes {
  /** Resolves with the report. Aborting `signal` stops it after the current call. */
  run(tool: string, request: ProbeRequest, asker: ProbeAsker, signal: AbortSignal): Promise<Result<ProbeReport>>;
}

export interface ProbeAsker {
  readonly source: CallSource;
  /** Errors after a call returned appear in the extension's log, which also contains other callers' data. */
  readonly mayReadLog: boolean;
}

export interface HostExtensions extends ExtensionReports, ExtensionDependencyActions {
  list(): ExtensionList;
  get(id: string): Promise<Result<ExtensionDetail>>;
  /** Sources and interface of two revisions, and the recent calls that the second would reject. */
  compare(id: string, pair: RevisionPair): Promise<Result<RevisionComparison>>;
  reload(ids: readonly string[] | null, actor: Actor): Promise<Result<ReloadReport>>;
  /** Writes a probe file again and returns the resulting state of watching. */
  testWatching(): Promise<WatchState>;
  /** Keeps one of the two texts of a file that was saved on two instances. */
  settleConflict(id: string, conflict: string, choice: ConflictChoice, actor: Actor): Promise<Result<Extension>>;
  restart(id: string, actor: Actor): Promise<Result<Extension>>;
  disable(id: string, actor: Actor): Promise<Result<Extension>>;
  enable(id: string, actor: Actor): Promise<Result<Extension>>;
  rollback(id: string, revision: number, actor: Actor): Promise<Result<Extension>>;
  pin(id: string, revision: number, actor: Actor): Promise<Result<Extension>>;
  unpin(id: string, actor: Actor): Promise<Result<Extension>>;
  keepAlive(id: string, keep: boolean | null, actor: Actor): Promise<Result<Extension>>;
  /** The steps to restore its files from a revision. */
  planUndo(id: string, revision: number): Promise<Result<UndoPlan>>;
  /**
   * Writes them back, when nobody changed them since the plan; resolves once the resulting loads succeeded or failed.
   */
  undo(id: string, request: UndoRequest, actor: Actor): Promise<Result<Undone>>;
}

export interface HostTools {
  list(): ToolList;
  get(name: string): Result<Tool>;
}

export interface ToolCallRequest {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly timeoutMs?: number | undefined;
  readonly revision?: number | undefined;
  readonly source: CallSource;
  readonly actor: Actor;
  readonly watcher?: CallWatcher | undefined;
  /** Renders the end, once it is stored. */
  readonly formatEnd?: ((end: RecordedEnd) => string) | undefined;
  /** The caller's trace context (W3C), when it is sent outside of the request headers. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  /** `_meta` of the caller's request, for an MCP server. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

export interface ReplayCallRequest extends Pick<ToolCallRequest, 'timeoutMs' | 'revision' | 'source' | 'actor'> {
  readonly arguments: Readonly<Record<string, unknown>> | null;
}

export interface RepeatableCall {
  readonly id: string;
  readonly finished: Promise<string>;
  readonly isRepeated: boolean;
}

export interface HostCalls {
  /**
   * `id` once the running record is on disk; `finished` once its end is: the JSON text of the Call, or the result of
   * `formatEnd`.
   */
  start(request: ToolCallRequest): Promise<Result<{ readonly id: string; readonly finished: Promise<string> }>>;
  /** Like `start`, but once per key: a repeated request gets the record of the first call (`isRepeated`). */
  startOnce(key: string, request: ToolCallRequest): Promise<Result<RepeatableCall>>;
  list(filter: CallFilter): Promise<Result<CallPage>>;
  /** Counts and latencies over time; recent results come from memory. */
  stats(query: CallStatsQuery): Promise<Result<CallStats>>;
  /** The last hour compared with the one before, by tool; recent results come from memory. */
  lastHour(): Promise<Result<LastHour>>;
  get(id: string): Promise<Result<Call>>;
  cancel(id: string): Promise<Result<Call>>;
  /** Answers an open question of a running call; only the caller may. */
  answer(id: string, request: AnswerRequest, actor: Actor): Promise<Result<Call>>;
  /** Without arguments: uses those of the original, refused when they were redacted. `id` and `finished` as in `start`. */
  replay(id: string, request: ReplayCallRequest): Promise<Result<{ readonly id: string; readonly finished: Promise<string> }>>;
  replayOnce(key: string, id: string, request: ReplayCallRequest): Promise<Result<RepeatableCall>>;
}

/** Saved calls by name, with the results of their assertions. */
export interface HostSavedCalls {
  /** By name. */
  list(tool: string): Promise<SavedCallList>;
  /** Saved calls of all tools, by tool and name; the first LIMITS.savedCallsListed. */
  listAll(): Promise<SavedCallList>;
  get(id: string): Promise<Result<SavedCall>>;
  save(request: SaveCall, actor: Actor): Promise<Result<SavedCall>>;
  /** A required check changed: retries the extensions that failed because of their checks. */
  change(id: string, change: SavedCallChange, actor: Actor): Promise<Result<SavedCall>>;
  /** Returns the removed one. */
  remove(id: string, actor: Actor): Promise<Result<SavedCall>>;
  /**
   * Without arguments: the saved ones, refused when their secrets were removed. `finished` resolves after the check.
   */
  start(
    id: string,
    args: Readonly<Record<string, unknown>> | null,
    source: CallSource,
    actor: Actor,
    /** Runs once per key, however often it is started. */
    key?: string | null,
  ): Promise<
    Result<{
      readonly savedCall: SavedCall;
      readonly callId: string;
      readonly isRepeated: boolean;
      readonly finished: Promise<SavedCallOutcome>;
    }>
  >;
}

export interface HostChannels {
  list(): Promise<ChannelList>;
  get(name: string): Promise<Result<Channel>>;
  messages(name: string, page: PageQuery): Promise<Result<MessagePage>>;
  /** Stored and queued when it resolves; sent later, in order. */
  send(name: string, message: SendMessage, actor: Actor): Promise<Result<Message>>;
  /** Handles a test message like a received one: stored, and a command in it is run. */
  inject(name: string, message: InjectMessage, actor: Actor): Promise<Result<Message>>;
  /** Queues a dead letter again. */
  resend(messageId: string, actor: Actor): Promise<Result<Message>>;
  /** Retries immediately instead of waiting for the backoff. */
  retry(name: string, actor: Actor): Promise<Result<Channel>>;
  configure(name: string, settings: ChannelSettings, actor: Actor): Promise<Result<Channel>>;
}

/** Failures in groups, for review. Writes return the updated group. */
export interface HostFailures {
  /** `asker` is the id of the calling member; null for a caller who is not a member. */
  list(filter: GroupFilter, asker?: string | null): Promise<Result<GroupPage>>;
  counts(asker?: string | null): Promise<GroupCounts>;
  get(id: string): Promise<Result<FailureGroupDetail>>;
  occurrences(id: string, page: PageQuery): Promise<Result<OccurrencePage>>;
  /** Changes since it last worked. */
  changes(id: string): Promise<Result<FailureChanges>>;
  source(id: string): Promise<Result<FailureSource>>;
  change(id: string, change: GroupChange, actor: Actor): Promise<Result<FailureGroupDetail>>;
  comment(id: string, text: string, actor: Actor): Promise<Result<FailureGroupDetail>>;
  merge(id: string, into: string, actor: Actor): Promise<Result<FailureGroupDetail>>;
  split(id: string, failureId: string, actor: Actor): Promise<Result<FailureGroupDetail>>;
  /** A member opened or left its page; returns the other members present. Never stored. */
  attend(id: string, person: Attendant, note: PresenceNote): Promise<Result<Presence>>;
}

/** The page and session, and the member. */
export interface Attendant {
  readonly id: string;
  readonly name: string;
  readonly sessionId: string;
}

export interface HostSnapshots {
  list(filter: SnapshotFilter): Promise<Result<SnapshotPage>>;
  get(version: number): Promise<Result<SnapshotRecord>>;
}

export interface HostInstances {
  /** The servers that share the database, newest first; on SQLite only this one. */
  list(): Promise<InstanceList>;
  /** This server will stop: others and proxies should route requests elsewhere. */
  drain(): void;
  id(): string;
  /** Ids of the others that are alive. */
  others(): readonly string[];
  ask(to: string, kind: string, payload: unknown, waitMs: number): Promise<Result<unknown>>;
  /** Sends a request to all others; returns the answers that arrive in time. */
  askOthers(kind: string, payload: unknown, waitMs: number): Promise<readonly unknown[]>;
  /** Handles requests of others. The result must be JSON. */
  answer(kind: string, work: (payload: unknown) => Promise<unknown>): void;
  /** Counts an attempt across all servers; null: this server is alone. */
  countAttempt(name: string, windowMs: number): Promise<{ readonly count: number; readonly ageMs: number }> | null;
}

export interface HostEvents {
  /** Id of the newest event, 0 before the first. */
  lastId(): number;
  /** Events after `id`, oldest first; null when the gap is larger than the log. */
  since(id: number): readonly HostEvent[] | null;
  /** Called for each event in order; returns the unsubscribe function. */
  subscribe(listener: (event: HostEvent) => void, types?: readonly EventType[]): () => void;
  /** Only the events of this server, immediately. */
  subscribeOwn(listener: (event: HostEvent) => void, types?: readonly EventType[]): () => void;
}

/** The caller. `name` is the person's name; null if unknown. */
export interface Actor {
  readonly name: string | null;
  /** Id of the member, whose sign-ins at MCP servers are used. */
  readonly member?: string | undefined;
}
