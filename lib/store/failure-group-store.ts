import type { Failure } from '#lib/contract/failure.ts';
import type { FailureStage, FailureCode } from '#lib/contract/failure-codes.ts';
import type {
  FailureGroup,
  FailureGroupDetail,
  GroupCounts,
  GroupFilter,
  GroupRevision,
  GroupStatus,
  Mention,
  OccurrencePage,
} from '#lib/contract/failure-group.ts';
import type { PageQuery } from '#lib/contract/snapshot.ts';

/** A group that a clean load of its extension would resolve. */
export interface UnsettledGroup {
  readonly id: string;
  readonly extension: string;
  readonly stage: FailureStage;
  readonly code: FailureCode;
  /** Of its latest occurrence. */
  readonly revision: number | null;
}

/** What people set; what is undefined stays. */
export interface GroupSettings {
  readonly status?: GroupStatus | undefined;
  readonly assignee?: string | null | undefined;
  /** Goes with an assignee who is a member. */
  readonly assigneeId?: string | null | undefined;
  readonly reason?: string | null | undefined;
  /** Goes with the status `ignored`. */
  readonly ignoreUntil?: string | null | undefined;
  /** Goes with the status `resolved`. */
  readonly resolvedBy?: GroupRevision | undefined;
}

export interface Act {
  readonly actor: string | null;
  /** ISO 8601 UTC. */
  readonly at: string;
}

export type MergeOutcome = 'merged' | 'missing' | 'same' | 'other_extension';
export type SplitOutcome =
  | { readonly kind: 'split'; readonly groupId: string }
  | { readonly kind: 'missing' | 'alone' | 'same_words' | 'own_fingerprint' };

/** An occurrence with what is kept beside the record that everybody sees. */
export interface FailureContext {
  readonly failure: Failure;
  readonly goodRevision: number | null;
}

/** Groups of failures as people review them. A group that was merged into another answers as that one. */
export interface FailureGroupRepository {
  /** Latest seen first; null on a foreign cursor. */
  list(filter: GroupFilter, now: Date): { readonly groups: FailureGroup[]; readonly next_cursor: string | null } | null;
  get(id: string, now: Date): FailureGroupDetail | null;
  counts(): GroupCounts;
  /** How many open and acknowledged ones have a comment that names this member. */
  countMentioning(memberId: string): number;
  /** The records of a group, newest first; null on a foreign cursor. */
  occurrences(id: string, page: PageQuery): OccurrencePage | null;
  latest(id: string): FailureContext | null;
  /** Open, acknowledged, and ignored for a time or until changed. */
  unsettled(): UnsettledGroup[];
  /** Only those that are still unsettled; returns their ids. */
  resolve(ids: readonly string[], by: GroupRevision, at: string): Promise<readonly string[]>;
  /** Ignored ones whose time is over are open again; returns their ids. */
  endIgnoring(now: Date): Promise<readonly string[]>;
  /** When the next of them is over; null when none is. */
  nextEndOfIgnoring(): string | null;
  /** False when there is no such group. Writes what changed into the activity. */
  change(id: string, settings: GroupSettings, act: Act): Promise<boolean>;
  /** Whom it names is written into the activity. */
  comment(id: string, text: string, mentions: readonly Mention[], act: Act): Promise<'added' | 'missing' | 'full'>;
  merge(id: string, into: string, act: Act): Promise<MergeOutcome>;
  split(id: string, failureId: string, act: Act): Promise<SplitOutcome>;
}
