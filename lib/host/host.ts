import type { Accounts } from '#lib/accounts/accounts.ts';
import type { IsolationLevel } from '#lib/contract/health.ts';
import type { Channel, ChannelList, ChannelSettings, InjectMessage, Message, MessagePage, SendMessage } from '#lib/contract/channel.ts';
import type { Call, CallFilter, CallPage, CallSource, CallStats, CallStatsQuery, CallWatcher, ToldEnd } from '#lib/contract/call.ts';
import type { EventType, HostEvent } from '#lib/contract/events.ts';
import type { Extension, ExtensionDetail, ExtensionList, ReloadReport, WatchState } from '#lib/contract/extension.ts';
import type {
  FailureChanges,
  FailureGroupDetail,
  FailureSource,
  GroupChange,
  GroupCounts,
  GroupFilter,
  GroupPage,
  OccurrencePage,
} from '#lib/contract/failure-group.ts';
import type { LastHour } from '#lib/contract/last-hour.ts';
import type { Presence, PresenceNote } from '#lib/contract/presence.ts';
import type { Result } from '#lib/contract/result.ts';
import type { RevisionComparison, RevisionPair } from '#lib/contract/revision-comparison.ts';
import type { SaveCall, SavedCall, SavedCallChange, SavedCallList, SavedCallOutcome } from '#lib/contract/saved-call.ts';
import type { PageQuery, SnapshotFilter, SnapshotPage, SnapshotRecord } from '#lib/contract/snapshot.ts';
import type { Undone, UndoPlan, UndoRequest } from '#lib/contract/source-undo.ts';
import type { Tool, ToolList } from '#lib/contract/tool.ts';
import type { HostConfig } from './config.ts';
import type { ProbeReport, ProbeRequest } from '#lib/contract/probe.ts';
import type { Actor } from './actor.ts';
import type { ExtensionReports } from './extension-reports.ts';
import type { Logger } from './logger.ts';
import type { SourceFiles } from './source-files.ts';

export type { Actor };

/**
 * The whole program behind its pages and routes: plain TypeScript, no Next, no React. One living Host per process, made by
 * `createHost`, found through `current-host.ts`. Pages and route handlers read through the same methods.
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
  readonly snapshots: HostSnapshots;
  readonly sources: SourceFiles;
  readonly events: HostEvents;
  /** Null where there are none: one user, on this machine. */
  readonly accounts: Accounts | null;
  health(): HostHealth;
  /** The metrics of the host in the text format of Prometheus. */
  metrics(): Promise<string>;
  /** Resolves once the first load is through. */
  readonly ready: Promise<void>;
  /** Ends loops, drains calls (at most LIMITS.drainMs), ends children, closes the database. Idempotent. */
  /** @param drainMs for calls that run; what is left then is cancelled */
  close(drainMs?: number): Promise<void>;
}

export interface HostHealth {
  readonly status: 'ok' | 'starting' | 'stopping' | 'degraded';
  readonly ready: boolean;
  readonly snapshot_version: number;
  readonly extensions: { readonly total: number; readonly ready: number; readonly degraded: number; readonly failed: number };
  readonly storage: { readonly ok: boolean; readonly reason: string | null };
  /** Whether the folder of the extensions is there and can be read. */
  readonly extensions_dir: { readonly ok: boolean; readonly reason: string | null };
  readonly isolation: { readonly level: string; readonly detail: readonly string[]; readonly levels: readonly IsolationLevel[] };
  readonly uptime_s: number;
}

export interface HostProbes {
  /** Resolves with what was found. Aborting `signal` ends it after the call under way. */
  run(tool: string, request: ProbeRequest, asker: ProbeAsker, signal: AbortSignal): Promise<Result<ProbeReport>>;
}

export interface ProbeAsker {
  readonly source: CallSource;
  /** Errors that came after their calls are told by the log of the extension, which holds words of others too. */
  readonly mayReadLog: boolean;
}

export interface HostExtensions extends ExtensionReports {
  list(): ExtensionList;
  get(id: string): Promise<Result<ExtensionDetail>>;
  /** Sources and what callers see, of two revisions; and recent calls that the second would refuse. */
  compare(id: string, pair: RevisionPair): Promise<Result<RevisionComparison>>;
  reload(ids: readonly string[] | null, actor: Actor): Promise<Result<ReloadReport>>;
  /** Writes a probe file again and answers how watching stands once that is through. */
  testWatching(): Promise<WatchState>;
  restart(id: string, actor: Actor): Promise<Result<Extension>>;
  disable(id: string, actor: Actor): Promise<Result<Extension>>;
  enable(id: string, actor: Actor): Promise<Result<Extension>>;
  rollback(id: string, revision: number, actor: Actor): Promise<Result<Extension>>;
  pin(id: string, revision: number, actor: Actor): Promise<Result<Extension>>;
  unpin(id: string, actor: Actor): Promise<Result<Extension>>;
  /** What it takes to have its files as they were in a revision. */
  planUndo(id: string, revision: number): Promise<Result<UndoPlan>>;
  /** Writes them back, when nobody changed them since the plan; resolves once what follows is loaded, or has failed. */
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
  /** Puts the end into words of its own, once it is on record. */
  readonly tell?: ((end: ToldEnd) => string) | undefined;
  /** The context of whoever asked (W3C), where it is told beside the headers of the request. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
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
  /** `id` as soon as the running record is on disk; `finished` once its end is: the JSON text of the Call, or what `tell` made of it. */
  start(request: ToolCallRequest): Promise<Result<{ readonly id: string; readonly finished: Promise<string> }>>;
  /** Likewise, but only once for a key: asked again, the record of the call that ran (`isRepeated`). */
  startOnce(key: string, request: ToolCallRequest): Promise<Result<RepeatableCall>>;
  list(filter: CallFilter): Promise<Result<CallPage>>;
  /** Counts and latencies over time; what was asked a moment ago is answered from memory. */
  stats(query: CallStatsQuery): Promise<Result<CallStats>>;
  /** The last hour against the one before, and the tools behind it; from memory likewise. */
  lastHour(): Promise<Result<LastHour>>;
  get(id: string): Result<Call>;
  cancel(id: string): Promise<Result<Call>>;
  /** Without arguments: those of the original, refused when they were redacted. `id` and `finished` as those of `start`. */
  replay(id: string, request: ReplayCallRequest): Promise<Result<{ readonly id: string; readonly finished: Promise<string> }>>;
  replayOnce(key: string, id: string, request: ReplayCallRequest): Promise<Result<RepeatableCall>>;
}

/** Calls under a name, and whether what came of them was what is expected. */
export interface HostSavedCalls {
  /** By name. */
  list(tool: string): SavedCallList;
  /** Of all tools, by tool and name; the first LIMITS.savedCallsListed. */
  listAll(): SavedCallList;
  get(id: string): Result<SavedCall>;
  save(request: SaveCall, actor: Actor): Promise<Result<SavedCall>>;
  /** A required check that is another one now: extensions that failed because of theirs are tried again. */
  change(id: string, change: SavedCallChange, actor: Actor): Promise<Result<SavedCall>>;
  /** Answers what was removed. */
  remove(id: string, actor: Actor): Promise<Result<SavedCall>>;
  /** Without arguments: those that were saved, refused when secrets were left out of them. `finished` resolves when it is judged. */
  start(
    id: string,
    args: Readonly<Record<string, unknown>> | null,
    source: CallSource,
    actor: Actor,
    /** It runs once, however often it is started with the same key. */
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
  list(): ChannelList;
  get(name: string): Result<Channel>;
  messages(name: string, page: PageQuery): Result<MessagePage>;
  /** Kept and queued when it resolves; sent later, in order. */
  send(name: string, message: SendMessage, actor: Actor): Promise<Result<Message>>;
  /** Takes a test message as if it had been received: stored, and a command in it is run. */
  inject(name: string, message: InjectMessage, actor: Actor): Promise<Result<Message>>;
  /** Queues a dead letter again. */
  resend(messageId: string, actor: Actor): Promise<Result<Message>>;
  /** Tries at once instead of waiting out the backoff. */
  retry(name: string, actor: Actor): Promise<Result<Channel>>;
  configure(name: string, settings: ChannelSettings, actor: Actor): Promise<Result<Channel>>;
}

/** Failures in groups, as people review them. Writes answer the group as it is then. */
export interface HostFailures {
  /** `asker` is the id of the member who asks; null for who is none. */
  list(filter: GroupFilter, asker?: string | null): Result<GroupPage>;
  counts(asker?: string | null): GroupCounts;
  get(id: string): Result<FailureGroupDetail>;
  occurrences(id: string, page: PageQuery): Result<OccurrencePage>;
  /** What changed since it worked. */
  changes(id: string): Result<FailureChanges>;
  source(id: string): Result<FailureSource>;
  change(id: string, change: GroupChange, actor: Actor): Promise<Result<FailureGroupDetail>>;
  comment(id: string, text: string, actor: Actor): Promise<Result<FailureGroupDetail>>;
  merge(id: string, into: string, actor: Actor): Promise<Result<FailureGroupDetail>>;
  split(id: string, failureId: string, actor: Actor): Promise<Result<FailureGroupDetail>>;
  /** Somebody of a team has its page open, or left it; answers who else has. Kept nowhere. */
  attend(id: string, person: Attendant, note: PresenceNote): Result<Presence>;
}

/** By which session of whom a page is open. */
export interface Attendant {
  readonly id: string;
  readonly name: string;
  readonly sessionId: string;
}

export interface HostSnapshots {
  list(filter: SnapshotFilter): Result<SnapshotPage>;
  get(version: number): Result<SnapshotRecord>;
}

export interface HostEvents {
  /** Id of the newest event, 0 before the first. */
  lastId(): number;
  /** Events after `id`, oldest first; null when the gap is larger than what is kept. */
  since(id: number): readonly HostEvent[] | null;
  /** Called for each event in order; returns what ends it. */
  subscribe(listener: (event: HostEvent) => void, types?: readonly EventType[]): () => void;
}
