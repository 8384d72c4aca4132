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
import type { ServerSignInRepository } from './server-sign-in-repository.ts';
import type { AccountRepository, AuditRepository, OAuthRepository, TokenRepository } from './account-store.ts';
import type { Lease, SharedStore } from './instance-store.ts';
import type { FailureGroupRepository } from './failure-group-store.ts';
import type { SecretRepository } from './secret-repository.ts';
import type { ToolsetRepository } from './toolset-repository.ts';

/**
 * The host's data. Writes share transactions: each promise resolves once its commit is done, and rejects with a
 * StorageError. DURABILITY decides what a commit survives. Reads never wait for writers. JSON columns are passed as
 * text, so the call path neither parses nor serializes them.
 */

/** A thrown value whose code distinguishes the two storage errors (never by instanceof). */
export interface StorageError extends Error {
  readonly code: 'storage_unavailable' | 'storage_full';
}

export interface StorageHealth {
  readonly ok: boolean;
  readonly reason: string | null;
  /** The database server does not answer, so nothing can be read either: other servers should get the requests. */
  readonly isAway?: boolean;
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
  /** JSON Pointers of the redacted values. */
  readonly redacted: readonly string[];
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly replayOf: string | null;
  /** The server that runs it. */
  readonly instance: string;
}

export interface CallEnd {
  /** The revision that answered; a reload while the call was queued changes it. */
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
  get(id: string): Promise<Call | null>;
  /** The latest; null without one. */
  newestId(): Promise<string | null>;
  /** Newest first, keyset pages; arguments and result cut to 2 KiB (`truncated`). Null on a foreign cursor. */
  list(filter: CallFilter): Promise<{ calls: Call[]; next_cursor: string | null } | null>;
  /** At start: calls that a crash of the host interrupted become failed / extension_crashed. Returns their number. */
  closeInterrupted(): Promise<number>;
  /** Counts and latencies over time. Long histories are read in parts, with turns of the event loop between them. */
  stats(query: CallStatsQuery): Promise<CallStats>;
  /** The last hour and the one before it, read in parts. */
  lastHour(): Promise<LastHour>;
}

/**
 * Rows beyond the newest `keepNewest`, and rows from before `before` (epoch milliseconds), may be removed, `most` at a
 * time.
 */
export interface KeepLimits {
  readonly keepNewest: number;
  readonly before: number;
  readonly most: number;
}

export interface Removed {
  readonly count: number;
  /** How long the event loop was blocked. */
  readonly tookMs: number;
}

type Remove<Limits> = (limits: Limits) => Promise<Removed>;

export interface Retention {
  /** Never a running one, nor the newest. */
  readonly calls: Remove<KeepLimits>;
  /** Never the newest. */
  readonly snapshots: Remove<KeepLimits>;
  /**
   * Of each extension. Never one that can run again, serves, is pinned, was rolled back from, or was tried last, nor
   * the newest and the newest that loaded.
   */
  readonly revisions: Remove<KeepLimits>;
  /** Never the newest of a group; its counts and times stay. The number per group is limited on write. */
  readonly failures: Remove<Omit<KeepLimits, 'keepNewest'>>;
  /** Of each channel. Never a queued message or a dead letter. */
  readonly messages: Remove<KeepLimits>;
}

export type RevisionOutcome = 'loaded' | 'failed';

export interface RevisionRow {
  readonly extension: string;
  readonly revision: number;
  readonly contentHash: string;
  readonly createdAt: string;
  readonly trigger: string;
  /** The person or agent that triggered it; null when unknown. */
  readonly actor: string | null;
  readonly outcome: RevisionOutcome;
  /** JSON text of the ExtensionDescription; null when it failed. */
  readonly description: string | null;
  /** JSON text of the build record (paths, inputs); null when the build failed. */
  readonly build: string | null;
  /** relative file → source text. */
  readonly sources: Readonly<Record<string, string>>;
  readonly runnable: boolean;
  readonly failureId: string | null;
}

export interface RevisionRepository {
  find(extension: string, contentHash: string): Promise<RevisionRow | null>;
  get(extension: string, revision: number): Promise<RevisionRow | null>;
  /** The last one tried, whatever its number: the last inserted or updated. */
  latest(extension: string): Promise<RevisionRow | null>;
  /** Newest first by number; sources left empty. */
  list(extension: string): Promise<RevisionRow[]>;
}

export type RevisionChange = Partial<Pick<RevisionRow, 'outcome' | 'description' | 'build' | 'sources' | 'runnable' | 'failureId'>>;

/** User settings per extension, and data that must survive a restart. */
export interface ExtensionRow {
  readonly extension: string;
  readonly disabled: boolean;
  readonly pinnedRevision: number | null;
  /** Newest tried. */
  readonly revision: number | null;
  readonly servingRevision: number | null;
  /** The newest at the time of the rollback to the serving one. */
  readonly rolledBackFrom: number | null;
  readonly loadedAt: string | null;
  /** Whether its process is kept without calls; null: automatic. */
  readonly keepAlive: boolean | null;
}

export interface ExtensionRepository {
  all(): Promise<ExtensionRow[]>;
  get(extension: string): Promise<ExtensionRow | null>;
}

/** One occurrence; the store adds it to the record of the same group, revision and fingerprint. */
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
  /** The inputs of the fingerprint, for people. */
  readonly basis: GroupBasis;
  /** The same for every extension that one fault broke. */
  readonly cause: string;
  /** The serving revision at the failure; null without one. */
  readonly goodRevision: number | null;
  readonly environment: FailureEnvironment | null;
  /** Empty unless required checks failed. */
  readonly failedChecks: readonly FailedCheck[];
  readonly snapshotVersion: number;
  readonly seenAt: string;
  /** The server on which it happened. */
  readonly instance: string;
}

export interface FailureRepository {
  get(id: string): Promise<Failure | null>;
  /** Newest first. */
  list(extension: string, limit: number): Promise<Failure[]>;
}

export interface NewestSnapshot {
  readonly record: SnapshotRecord;
  /** Of each extension, by id. */
  readonly digest: ReadonlyMap<string, string>;
}

export interface SnapshotRepository {
  /** The newest, with the digest of its set. */
  latest(): Promise<NewestSnapshot | null>;
  latestVersion(): Promise<number | null>;
  get(version: number): Promise<SnapshotRecord | null>;
  /** Newest first; null on a foreign cursor. */
  list(filter: SnapshotFilter): Promise<{ snapshots: SnapshotRecord[]; next_cursor: string | null } | null>;
}

/** The writes of one change of the set of extensions, and what they see. */
export interface SetWrites {
  readonly revisions: RevisionRepository;
  readonly extensions: ExtensionRepository;
  readonly snapshots: SnapshotRepository;
  /** Assigns the next number of that extension, from 1. */
  insertRevision(row: Omit<RevisionRow, 'revision'>): Promise<RevisionRow>;
  /** A later attempt with the same source may end differently. */
  updateRevision(extension: string, revision: number, change: RevisionChange): Promise<void>;
  putExtension(row: ExtensionRow): Promise<void>;
  /**
   * The same extension, revision and fingerprint again: `count` + 1 and `last_seen`; otherwise a new record in the
   * group of that fingerprint (created when missing). A resolved group becomes a regression; one ignored until it
   * changes, or until a past time, is open again.
   */
  recordFailure(occurrence: FailureOccurrence): Promise<Failure>;
  /**
   * @param previous the newest before, as read; null: none is known, and it is stored in full
   * @param differing ids of the extensions that differ from it; null: all are compared
   */
  insertSnapshot(
    record: SnapshotRecord,
    digest: NewestSnapshot['digest'],
    previous: NewestSnapshot | null,
    differing?: ReadonlySet<string> | null,
  ): Promise<void>;
}

/** The result of one attempt to send a message. */
export interface SendEnd {
  readonly state: 'queued' | 'sent' | 'failed';
  /** Why it was not sent; null when it was. */
  readonly error: string | null;
  /** Whether it may have been sent anyway. */
  readonly inDoubt: boolean;
}

export interface MessageCounts {
  readonly queued: number;
  readonly failed: number;
  readonly lastMessageAt: string | null;
}

export interface InboundFacts {
  /** It is unanswered until a message with `reply_to` is stored. */
  readonly isCommand: boolean;
  /** Unique in its channel; null: none. */
  readonly idempotencyKey: string | null;
}

/** Writes of the server that owns a channel. */
export interface OwnedChannelWrites {
  /** False, and not stored: it is outbound and LIMITS.messagesQueued are queued already, or one with its key is stored. */
  insert(message: Message, inbound?: InboundFacts): Promise<boolean>;
  /** Counts the attempt before it is made, so that a crash during it shows. */
  beginSend(id: string): Promise<void>;
  endSend(id: string, end: SendEnd): Promise<Message>;
  /** The result of an inbound message. */
  noteCommand(id: string, callId: string | null, error: string | null): Promise<void>;
  /**
   * Sends that the end of the last owner interrupted stay queued and are marked as possibly sent. Returns their
   * number.
   */
  markInterrupted(channel: string): Promise<number>;
}

export interface ChannelRepository extends OwnedChannelWrites {
  /** The same writes; refused with the code `lease_lost` once another server holds the lease. */
  underLease(lease: Lease): OwnedChannelWrites;
  /** Commands that nobody has answered, in order. */
  unanswered(channel: string): Promise<Message[]>;
  get(id: string): Promise<Message | null>;
  /** Newest first, keyset pages; null on a foreign cursor. */
  list(channel: string, page: PageQuery): Promise<MessagePage | null>;
  /** The next to send, except to these recipients (null: messages without a recipient). */
  nextQueued(channel: string, exceptFor: readonly (string | null)[]): Promise<Message | null>;
  /** A dead letter goes to the end of the queue, with its attempts reset. */
  queueAgain(id: string): Promise<'queued' | 'full' | 'not_failed'>;
  /** The newest inbound message of this sender. */
  lastFrom(channel: string, sender: string): Promise<Message | null>;
  counts(channel: string): Promise<MessageCounts>;
  hasMessages(channel: string): Promise<boolean>;
  /** Configured settings, by channel. */
  commands(): Promise<ReadonlyMap<string, ChannelCommands>>;
  putCommands(channel: string, commands: ChannelCommands): Promise<void>;
}

export interface IdempotencyRow {
  readonly key: string;
  /** Of the request with the key. */
  readonly requestHash: string;
  readonly callId: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** That was about to begin the call; null: unknown, the key is from an earlier release. */
  readonly instance: string | null;
}

export interface IdempotencyRepository {
  get(key: string): Promise<IdempotencyRow | null>;
  /**
   * Replaces the key of the call `replaces`, or none; committed when it resolves. False: another request has this key
   * meanwhile, and nothing changed.
   */
  put(row: IdempotencyRow, replaces: string | null): Promise<boolean>;
  /** Only while it is the key of that call. */
  remove(key: string, callId: string): Promise<void>;
  count(): Promise<number>;
  /** When the oldest was created, in epoch milliseconds; null without one. */
  oldest(): Promise<number | null>;
  /** Drops those from before `before`. Resolves to their number. */
  sweep(before: number): Promise<number>;
}

export interface SavedCallRepository {
  /** Nothing is stored when the tool has this name, or LIMITS.savedCallsPerTool, already. */
  insert(saved: SavedCall): Promise<'stored' | 'name_taken' | 'full'>;
  get(id: string): Promise<SavedCall | null>;
  /** By name. */
  list(tool: string): Promise<SavedCall[]>;
  /** Those of all tools, by tool and name. */
  listAll(limit: number): Promise<SavedCall[]>;
  /** Required checks of all tools, by tool and name. */
  required(): Promise<SavedCall[]>;
  /** Replaces the one with its id. */
  /** @param before `updated_at` of the saved call that it was made from; `changed`: another change came first */
  replace(saved: SavedCall, before: string): Promise<'stored' | 'name_taken' | 'changed' | 'gone'>;
  /** Only when unchanged since `updatedAt`; otherwise the run was of an older version. */
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
   * One transaction: everything that `work` writes is stored, or nothing. `work` waits only for these writes and reads,
   * and may run several times, of which the last counts.
   */
  commitSet<Value>(work: (writes: SetWrites) => Promise<Value>): Promise<Value>;
  readonly failureGroups: FailureGroupRepository;
  readonly snapshots: SnapshotRepository;
  readonly channels: ChannelRepository;
  readonly accounts: AccountRepository;
  readonly tokens: TokenRepository;
  readonly oauth: OAuthRepository;
  readonly serverSignIns: ServerSignInRepository;
  readonly secrets: SecretRepository;
  readonly toolsets: ToolsetRepository;
  readonly audit: AuditRepository;
  /** Null: no other server uses this database. */
  readonly shared: SharedStore | null;
  /** Reserves the next `count` event ids and returns the first; after a crash unused ids are skipped, never reused. */
  reserveEventIds(count: number): Promise<number>;
  /** At a clean stop: ids from `next` to before `end` were reserved and not used. */
  releaseEventIds(next: number, end: number): Promise<void>;
  /**
   * After an unclean stop: resolves with the file's damage, or null, after a check of all of it. Null when no check was
   * needed.
   */
  readonly examined: Promise<string | null> | null;
  /** `ok`, or why writing does not work now, or should not. */
  health(): StorageHealth;
  close(): Promise<void>;
}

export type OpenStore =
  | { readonly ok: true; readonly store: Store }
  /** One line with the fix; the file is unchanged. */
  | { readonly ok: false; readonly reason: string };
