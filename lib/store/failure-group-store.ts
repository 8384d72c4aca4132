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
  /** Of its latest occurrence; null in records of older versions. */
  readonly instance: string | null;
}

/** A group, and the revision that fixed it. */
export interface GroupFix {
  readonly id: string;
  readonly by: GroupRevision;
}

/** Changes by people; undefined fields stay. */
export interface GroupSettings {
  readonly status?: GroupStatus | undefined;
  readonly assignee?: string | null | undefined;
  /** Set with an assignee who is a member. */
  readonly assigneeId?: string | null | undefined;
  readonly reason?: string | null | undefined;
  /** Set with the status `ignored`. */
  readonly ignoreUntil?: string | null | undefined;
  /** Set with the status `resolved`. */
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

/** An occurrence with the data stored beside its public record. */
export interface FailureContext {
  readonly failure: Failure;
  readonly goodRevision: number | null;
}

/** Failure groups as people review them. A merged group's id returns the group it was merged into. */
export interface FailureGroupRepository {
  /** Latest seen first; null on a foreign cursor. */
  list(filter: GroupFilter, now: Date): Promise<{ readonly groups: FailureGroup[]; readonly next_cursor: string | null } | null>;
  get(id: string, now: Date): Promise<FailureGroupDetail | null>;
  counts(): Promise<GroupCounts>;
  /** Number of open and acknowledged groups with a comment that mentions this member. */
  countMentioning(memberId: string): Promise<number>;
  /** The records of a group, newest first; null on a foreign cursor. */
  occurrences(id: string, page: PageQuery): Promise<OccurrencePage | null>;
  latest(id: string): Promise<FailureContext | null>;
  /** Open, acknowledged, and ignored for a time or until changed. */
  unsettled(): Promise<UnsettledGroup[]>;
  /** Only unresolved ones, in one transaction; returns their ids. */
  resolve(fixes: readonly GroupFix[], at: string): Promise<readonly string[]>;
  /** Reopens ignored ones whose period ended; returns their ids. */
  endIgnoring(now: Date): Promise<readonly string[]>;
  /** When the next such period ends; null without one. */
  nextEndOfIgnoring(): Promise<string | null>;
  /** False when the group does not exist. Writes the changes to the activity. */
  change(id: string, settings: GroupSettings, act: Act): Promise<boolean>;
  /** Mentions are written to the activity. */
  comment(id: string, text: string, mentions: readonly Mention[], act: Act): Promise<'added' | 'missing' | 'full'>;
  merge(id: string, into: string, act: Act): Promise<MergeOutcome>;
  split(id: string, failureId: string, act: Act): Promise<SplitOutcome>;
}
