import type { EventData, EventType, HostEvent } from '#lib/contract/events.ts';
import type { Extension } from '#lib/contract/extension.ts';
import type { Failure } from '#lib/contract/failure.ts';
import type { SharedFileRepository } from './shared-files.ts';
import type { Instance, LocalFile } from '#lib/contract/instance.ts';

/** Sent with each heartbeat. */
export interface InstanceReport {
  readonly state: Exclude<Instance['state'], 'gone'>;
  readonly ready: number;
  readonly failed: number;
  readonly callsRunning: number;
}

export interface Lease {
  readonly name: string;
  /** Increases with each change of the owner: a write of an earlier owner carries a lower one. */
  readonly epoch: number;
}

/** Identifiers of the keys of an instance, by their use: the one it writes with first, then others that it can read. */
export type InstanceKeys = Readonly<Record<string, readonly string[]>>;

/** A request of one instance to another, such as to cancel a call that runs there. */
export interface PeerRequest {
  readonly id: string;
  readonly from: string;
  readonly kind: string;
  /** JSON text. */
  readonly payload: string;
}

/** The state of an extension on one server. */
export interface InstanceExtension {
  readonly extension: string;
  readonly state: Extension['state'];
  readonly servingRevision: number | null;
  readonly failure: Failure | null;
}

export interface Registered {
  /** By the clock of the database. */
  readonly startedAt: number;
  readonly endedCalls: boolean;
}

/** Result of declaring an instance gone. */
export interface Gone {
  readonly instances: readonly string[];
  /** Calls that were ended. */
  readonly calls: number;
}

/**
 * The servers that share a database of PostgreSQL. All times are those of the database, so clocks of machines may
 * differ. An instance without a heartbeat for `silentMs` is gone: its calls are ended, and its leases expire.
 */
export interface InstanceRepository {
  /**
   * Reuses an id whose process has left or was silent for `silentMs`: ends its calls, frees its leases.
   * @returns its start time, which distinguishes processes with one id, and whether calls were ended; null: a running one has the id
   */
  register(id: string, version: string, report: InstanceReport, keys: InstanceKeys, silentMs: number): Promise<Registered | null>;
  /** Keys of live instances. */
  keysOfOthers(id: string, silentMs: number): Promise<readonly { readonly instance: string; readonly keys: InstanceKeys }[]>;
  /** Also renews the leases of this instance, and returns them. Null: it was declared gone meanwhile, or another has its id. */
  beat(id: string, startedAt: number, report: InstanceReport, leaseMs: number): Promise<readonly Lease[] | null>;
  /** Newest first. */
  list(): Promise<Omit<Instance, 'is_self'>[]>;
  setLocalFiles(id: string, files: readonly LocalFile[]): Promise<void>;
  /** Declares silent instances gone, and ends the calls of all that are gone. */
  declareGone(silentMs: number): Promise<Gone>;
  /**
   * Whether an instance died before it began this call, and at least `silentMs` ago, so that it does not begin it either. False
   * too where the call may have been removed from the history.
   */
  neverBegan(call: string, instance: string, silentMs: number): Promise<boolean>;
  /** At a clean stop, after its calls have ended. */
  leave(id: string, startedAt: number): Promise<void>;
  /** Removes instances gone for this long, and abandoned requests. */
  forget(olderMs: number): Promise<void>;
  /** Takes a free or expired lease, or confirms one's own; null while another instance holds it. */
  lease(name: string, instance: string, leaseMs: number): Promise<Lease | null>;
  release(name: string, instance: string): Promise<void>;
  /** Name of a lease that has not expired → its holder. */
  holders(): Promise<ReadonlyMap<string, string>>;
  ask(request: PeerRequest & { readonly to: string }): Promise<void>;
  /** Takes the requests to this instance; each is returned once. */
  takeRequests(to: string): Promise<PeerRequest[]>;
  /** Replaces these, and removes those of `gone`. */
  putExtensions(instance: string, extensions: readonly InstanceExtension[], gone: readonly string[]): Promise<void>;
  /** Extensions that other live instances serve and this one does not; in code-point order. */
  servedOnlyElsewhere(instance: string): Promise<string[]>;
  /** States of one extension, by instance. */
  extensionStates(extension: string): Promise<(InstanceExtension & { readonly instance: string })[]>;
  /** `answer` is JSON text. */
  answer(id: string, answer: string): Promise<void>;
  /** Null while there is none. It is removed. */
  takeAnswer(id: string): Promise<string | null>;
}

/** Change notices between the servers on one database. They may be lost with the connection. */
export interface Notices {
  /** Sent to all, also to this one. */
  send(kind: NoticeKind, about?: string): void;
  /** Also called with an empty text after the connection was lost, since messages may be missing. */
  on(kind: NoticeKind, listener: (about: string) => void): () => void;
}

export type NoticeKind =
  | 'events'
  | 'files'
  | 'requests'
  | 'answers'
  | 'extensions'
  | 'accounts'
  | 'channels'
  | 'checks'
  | 'dependencies'
  | 'instances'
  | 'presence'
  | 'secrets'
  | 'toolsets';

/** An event before it has its number. */
export interface EventToShare {
  readonly type: EventType;
  readonly data: EventData;
}

/** Events of all servers on one database, in one order. */
export interface SharedEventRepository {
  append(instance: string, events: readonly EventToShare[]): Promise<void>;
  /** In order, at most `most`. */
  after(id: number, most: number): Promise<HostEvent[]>;
  /** The id of the newest; 0 without one. */
  newestId(): Promise<number>;
  /** Removes all but the newest. */
  trim(keepNewest: number): Promise<void>;
}

/** Attempts of one kind, such as sign-ins of an account, on all servers together. */
export interface AttemptRepository {
  /** Counts one; the count starts over `windowMs` after its first. */
  count(name: string, windowMs: number): Promise<{ readonly count: number; readonly ageMs: number }>;
  /** Removes counts that began before. */
  forget(olderMs: number): Promise<void>;
}

/** Coordination of several servers on one database. */
export interface SharedStore {
  readonly instances: InstanceRepository;
  readonly events: SharedEventRepository;
  readonly files: SharedFileRepository;
  readonly notices: Notices;
  readonly attempts: AttemptRepository;
}
