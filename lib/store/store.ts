import type {
  Call,
  CallError,
  CallFilter,
  CallLog,
  CallProgress,
  CallSource,
  CallStats,
  CallStatsQuery,
  CallStatus,
} from '#lib/contract/call.ts';
import type { ChannelCommands, Message, MessagePage } from '#lib/contract/channel.ts';
import type { FailedCheck, Failure } from '#lib/contract/failure.ts';
import type { FailureCode, FailureStage } from '#lib/contract/failure-codes.ts';
import type { FailureEnvironment, GroupBasis } from '#lib/contract/failure-group.ts';
import type { LastHour } from '#lib/contract/last-hour.ts';
import type { SavedCall, SavedRun } from '#lib/contract/saved-call.ts';
import type { PageQuery, SnapshotFilter, SnapshotRecord } from '#lib/contract/snapshot.ts';
import type { AccountRepository } from './account-store.ts';
import type { FailureGroupRepository } from './failure-group-store.ts';
import type { AuditRepository, TokenRepository } from './team-store.ts';

/**
 * What the host keeps. Writes share transactions: each promise resolves once the commit that holds it is done, and rejects with a
 * StorageError. What a commit outlives is for DURABILITY to say. Reads never wait for writers.
 * JSON columns travel as text: the call path neither parses nor rebuilds what it passes on.
 */

/** A thrown value that tells the two storage refusals apart by code (never by instanceof). */
export interface StorageError extends Error {
  readonly code: 'storage_unavailable' | 'storage_full';
}

export interface RunningCallRow {
  readonly id: string;
  readonly tool: string;
  readonly extension: string;
  readonly revision: number | null;
  readonly snapshotVersion: number;
  readonly source: CallSource;
  readonly actor: string | null;
  /** JSON text, secrets already redacted. */
  readonly argumentsText: string;
  /** JSON Pointers of what was redacted. */
  readonly redacted: readonly string[];
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly replayOf: string | null;
}

export interface CallEnd {
  /** The revision that answered: a reload while the call waited for its turn moves it on. */
  readonly revision: number | null;
  readonly status: Exclude<CallStatus, 'running'>;
  readonly resultText: string | null;
  readonly error: CallError | null;
  readonly logs: readonly CallLog[];
  readonly logsTruncated: boolean;
  readonly progress: CallProgress | null;
  readonly finishedAt: string;
  readonly durationMs: number;
}

export interface CallRepository {
  insertRunning(row: RunningCallRow): Promise<void>;
  finish(id: string, end: CallEnd): Promise<void>;
  get(id: string): Call | null;
  /** The one that came last; null where there is none. */
  newestId(): string | null;
  /** Newest first, keyset pages; arguments and result cut to 2 KiB (`truncated`). Throws nothing on a foreign cursor: null. */
  list(filter: CallFilter): Promise<{ calls: Call[]; next_cursor: string | null } | null>;
  /** At start: calls that a crash of the host left running become failed / extension_crashed. Returns how many. */
  closeInterrupted(): number;
  /** Counts and latencies over time. Long histories are read in pieces, between which others get their turn. */
  stats(query: CallStatsQuery): Promise<CallStats>;
  /** The last hour and the one before it, read in pieces. */
  lastHour(): Promise<LastHour>;
}

/** What is beyond the newest `keepNewest`, and what is from before `before` (epoch milliseconds) may go, `most` rows at a time. */
export interface KeepLimits {
  readonly keepNewest: number;
  readonly before: number;
  readonly most: number;
}

export interface Removed {
  readonly count: number;
  /** For so long nothing else could run. */
  readonly tookMs: number;
}

type Remove<Limits> = (limits: Limits) => Promise<Removed>;

export interface Retention {
  /** Never one that runs, nor the newest of all. */
  readonly calls: Remove<KeepLimits>;
  /** Never the newest. */
  readonly snapshots: Remove<KeepLimits>;
  /** Of each extension. Never one that can run again, serves, is pinned, was rolled back from, or was tried last, nor the newest and the newest that loaded. */
  readonly revisions: Remove<KeepLimits>;
  /** Never the newest of a group, whose counts and times stay. How many there are of a group is limited when they are written. */
  readonly failures: Remove<Omit<KeepLimits, 'keepNewest'>>;
  /** Of each channel. Never one that waits or could not be sent. */
  readonly messages: Remove<KeepLimits>;
}

export type RevisionOutcome = 'loaded' | 'failed';

export interface RevisionRow {
  readonly extension: string;
  readonly revision: number;
  readonly contentHash: string;
  readonly createdAt: string;
  readonly trigger: string;
  /** Whose doing the trigger was; null where nobody is known. */
  readonly actor: string | null;
  readonly outcome: RevisionOutcome;
  /** JSON text of the ExtensionDescription; null when it failed. */
  readonly description: string | null;
  /** JSON text of the builder's record of this artifact (paths, inputs); null when the build failed. */
  readonly build: string | null;
  /** relative file → source text. */
  readonly sources: Readonly<Record<string, string>>;
  readonly runnable: boolean;
  readonly failureId: string | null;
}

export interface RevisionRepository {
  find(extension: string, contentHash: string): RevisionRow | null;
  get(extension: string, revision: number): RevisionRow | null;
  /** The one tried last, whatever its number: the last inserted or updated. */
  latest(extension: string): RevisionRow | null;
  /** Newest first by number; sources left empty. */
  list(extension: string): RevisionRow[];
}

export type RevisionChange = Partial<Pick<RevisionRow, 'outcome' | 'description' | 'build' | 'sources' | 'runnable' | 'failureId'>>;

/** What people set per extension, and what must outlive a restart. */
export interface ExtensionRow {
  readonly extension: string;
  readonly disabled: boolean;
  readonly pinnedRevision: number | null;
  /** Newest tried. */
  readonly revision: number | null;
  readonly servingRevision: number | null;
  /** The newest of then, where a person rolled back to the one that serves. */
  readonly rolledBackFrom: number | null;
  readonly loadedAt: string | null;
}

export interface ExtensionRepository {
  all(): ExtensionRow[];
  get(extension: string): ExtensionRow | null;
}

/** One occurrence; the store counts it into the record of the same group, revision and fingerprint. */
export interface FailureOccurrence {
  readonly extension: string;
  readonly revision: number | null;
  readonly error: string;
  readonly stage: FailureStage;
  readonly code: FailureCode;
  readonly message: string;
  readonly hint: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly codeFrame: string | null;
  readonly stack: string | null;
  readonly output: string | null;
  readonly fingerprint: string;
  /** What the fingerprint was made of, for people. */
  readonly basis: GroupBasis;
  /** The same for every extension that one fault broke. */
  readonly cause: string;
  /** What served when it failed; null when nothing did. */
  readonly goodRevision: number | null;
  readonly environment: FailureEnvironment | null;
  /** Empty unless required checks did not pass. */
  readonly failedChecks: readonly FailedCheck[];
  readonly snapshotVersion: number;
  readonly seenAt: string;
}

export interface FailureRepository {
  get(id: string): Failure | null;
  /** Newest first. */
  list(extension: string, limit: number): Failure[];
}

export interface NewestSnapshot {
  readonly record: SnapshotRecord;
  readonly digest: string;
}

export interface SnapshotRepository {
  /** Newest, with the digest of the set it stands for. */
  latest(): NewestSnapshot | null;
  get(version: number): SnapshotRecord | null;
  /** Newest first; null on a foreign cursor. */
  list(filter: SnapshotFilter): { snapshots: SnapshotRecord[]; next_cursor: string | null } | null;
}

/** The writes of one change of the set of extensions. */
export interface SetWrites {
  /** Gives the next number of that extension, from 1. */
  insertRevision(row: Omit<RevisionRow, 'revision'>): RevisionRow;
  /** A later try of the same content may end differently. */
  updateRevision(extension: string, revision: number, change: RevisionChange): void;
  putExtension(row: ExtensionRow): void;
  /**
   * The same extension, revision and fingerprint again: `count` + 1 and `last_seen`; else a new record in the group of that
   * fingerprint (made when missing). A group that was resolved comes back as a regression; one that is ignored until it
   * changes, or until a time that is over, is open again.
   */
  recordFailure(occurrence: FailureOccurrence): Failure;
  insertSnapshot(record: SnapshotRecord, digest: string): void;
}

/** How one try to send a message ended. */
export interface SendEnd {
  readonly state: 'queued' | 'sent' | 'failed';
  /** Why it was not sent; null when it was. */
  readonly error: string | null;
  /** Whether it may have been sent all the same. */
  readonly inDoubt: boolean;
}

export interface MessageCounts {
  readonly queued: number;
  readonly failed: number;
  readonly lastMessageAt: string | null;
}

export interface ChannelRepository {
  /** False: it is an outbound one and LIMITS.messagesQueued wait already; nothing was kept. */
  insert(message: Message): Promise<boolean>;
  get(id: string): Message | null;
  /** Newest first, keyset pages; null on a foreign cursor. */
  list(channel: string, page: PageQuery): MessagePage | null;
  /** The one to be sent next, leaving out those for these recipients (null: for nobody in particular). */
  nextQueued(channel: string, exceptFor: readonly (string | null)[]): Message | null;
  /** Counts the attempt before it is made, so that a crash in the middle of it shows. */
  beginSend(id: string): Promise<void>;
  endSend(id: string, end: SendEnd): Promise<Message>;
  /** A dead letter goes to the end of the queue, its attempts forgotten. */
  queueAgain(id: string): Promise<'queued' | 'full' | 'not_failed'>;
  /** What an inbound message came to. */
  noteCommand(id: string, callId: string | null, error: string | null): Promise<void>;
  /** The newest that came in from this sender. */
  lastFrom(channel: string, sender: string): Message | null;
  counts(channel: string): MessageCounts;
  hasMessages(channel: string): boolean;
  /** At start: sends that a stop of the host cut off stay queued and say that they may have been sent. Returns how many. */
  markInterrupted(): number;
  /** Null until somebody set them. */
  commands(channel: string): ChannelCommands | null;
  putCommands(channel: string, commands: ChannelCommands): Promise<void>;
}

export interface IdempotencyRow {
  readonly key: string;
  /** Of the request that came with the key. */
  readonly requestHash: string;
  readonly callId: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface IdempotencyRepository {
  /** Null when there is none, or only one from before `notBefore` (epoch milliseconds). */
  get(key: string, notBefore: number): IdempotencyRow | null;
  /** In place of one with the same key; committed when it resolves. */
  put(row: IdempotencyRow): Promise<void>;
  /** Only while it is the key of that call. */
  remove(key: string, callId: string): Promise<void>;
  count(): number;
  /** When the oldest was made, in epoch milliseconds; null when there is none. */
  oldest(): number | null;
  /** Drops those from before `before`. Resolves to how many. */
  sweep(before: number): Promise<number>;
}

export interface SavedCallRepository {
  /** Nothing is kept when the tool has one of this name, or LIMITS.savedCallsPerTool already. */
  insert(saved: SavedCall): Promise<'kept' | 'name_taken' | 'full'>;
  get(id: string): SavedCall | null;
  /** By name. */
  list(tool: string): SavedCall[];
  /** Those of all tools, by tool and name. */
  listAll(limit: number): SavedCall[];
  /** Those of all tools that new revisions must pass, by tool and name. */
  required(): SavedCall[];
  /** In place of what was kept under its id. */
  replace(saved: SavedCall): Promise<'kept' | 'name_taken' | 'gone'>;
  /** Only on what has not been changed since `updatedAt`; else the run was one of something else. */
  noteRun(id: string, updatedAt: string, run: SavedRun): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface Store {
  readonly calls: CallRepository;
  readonly retention: Retention;
  readonly savedCalls: SavedCallRepository;
  readonly idempotency: IdempotencyRepository;
  readonly revisions: RevisionRepository;
  readonly extensions: ExtensionRepository;
  readonly failures: FailureRepository;
  /**
   * One transaction: all that `work` writes is kept, or nothing. `work` is synchronous and may run several times, of which the last
   * counts. Where it writes nothing, the database is not asked.
   */
  commitSet<Value>(work: (writes: SetWrites) => Value): Promise<Value>;
  readonly failureGroups: FailureGroupRepository;
  readonly snapshots: SnapshotRepository;
  readonly channels: ChannelRepository;
  readonly accounts: AccountRepository;
  readonly tokens: TokenRepository;
  readonly audit: AuditRepository;
  /** Reserves the next `count` event ids and returns the first; what a crash leaves unused is skipped, never given twice. */
  reserveEventIds(count: number): number;
  /** At a clean stop: the next id to give. */
  releaseEventIds(next: number): void;
  /** After an unclean stop: settles with what is wrong with the file, or null, once all of it was looked at. Null when that was not needed. */
  readonly examined: Promise<string | null> | null;
  /** `ok`, or why writing does not work now, or should not. */
  health(): { readonly ok: boolean; readonly reason: string | null };
  close(): Promise<void>;
}

export type OpenStore =
  | { readonly ok: true; readonly store: Store }
  /** One line that says what to do; the file is left untouched. */
  | { readonly ok: false; readonly reason: string };
