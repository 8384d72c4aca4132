import {
  type FailureChanges,
  type FailureGroupDetail,
  type FailureSource,
  type GroupChange,
  type GroupCounts,
  type GroupFilter,
  type GroupPage,
  ME,
  type OccurrencePage,
  UNTIL_CHANGED,
} from '#lib/contract/failure-group.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { findMentions } from '#lib/contract/mentions.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { PageQuery } from '#lib/contract/snapshot.ts';
import type { Act, FailureContext, GroupSettings } from '#lib/store/failure-group-store.ts';
import type { Store } from '#lib/store/store.ts';
import { readChanges, readSource } from './failure-sources.ts';

/**
 * The team's work on failures: assignment, decisions, comments. Every action is sent to open pages. What can go wrong:
 * - two people act at once: the last write to each field wins, the activity has both;
 * - a group is merged while somebody works on it: its id then refers to the merged group;
 * - an ignore period ends while the server is down: each start checks for it.
 */
export interface FailureReview {
  /** `asker` is the id of the member who asks; null without accounts and for a caller who is no member. */
  list(filter: GroupFilter, asker?: string | null): Promise<Result<GroupPage>>;
  counts(asker?: string | null): Promise<GroupCounts>;
  get(id: string): Promise<Result<FailureGroupDetail>>;
  occurrences(id: string, page: PageQuery): Promise<Result<OccurrencePage>>;
  changes(id: string): Promise<Result<FailureChanges>>;
  source(id: string): Promise<Result<FailureSource>>;
  change(id: string, change: GroupChange, actor: string | null): Promise<Result<FailureGroupDetail>>;
  comment(id: string, text: string, actor: string | null): Promise<Result<FailureGroupDetail>>;
  merge(id: string, into: string, actor: string | null): Promise<Result<FailureGroupDetail>>;
  /** Returns the group that was split off. */
  split(id: string, failureId: string, actor: string | null): Promise<Result<FailureGroupDetail>>;
  close(): void;
}

export interface FailureReviewOptions {
  readonly store: Pick<Store, 'failureGroups' | 'revisions'>;
  /** The package versions with which a revision last worked; null when unknown. */
  packagesWhenGood(extension: string, revision: number): Promise<Readonly<Record<string, string>> | null>;
  /** The members of a team; null without accounts, where any name can be an assignee. */
  readonly members: (() => Promise<readonly Teammate[]>) | null;
  snapshotVersion(): number;
  /** The newest revision of an extension; null when it is removed. */
  revisionOf(extension: string): number | null;
  /** Notifies that a group changed. */
  notify(groupId: string): void;
  onError(error: unknown): void;
  now?(): Date;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createFailureReview(options: FailureReviewOptions): FailureReview {
  const { failureGroups: groups, revisions } = options.store;
  const now = options.now ?? (() => new Date());
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  /** Reopens failures whose ignore period ended, and waits for the next one. */
  async function watchIgnored(): Promise<void> {
    const next = await groups.nextEndOfIgnoring();
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (closed || next === null) return;
    const wait = Math.min(LONGEST_TIMER_MS, Math.max(0, Date.parse(next) - now().getTime()));
    timer = setTimeout(() => {
      groups
        .endIgnoring(now())
        .then((ids) => ids.forEach(options.notify))
        .catch(options.onError)
        .finally(watch);
    }, wait);
    timer.unref();
  }
  function watch(): void {
    watchIgnored().catch(options.onError);
  }
  watch();

  const by = (actor: string | null): Act => ({ actor, at: now().toISOString() });

  async function get(id: string): Promise<Result<FailureGroupDetail>> {
    const group = await groups.get(id, now());
    return group === null ? unknownGroup(id) : ok(group);
  }

  async function counts(asker: string | null = null): Promise<GroupCounts> {
    return asker === null ? groups.counts() : { ...(await groups.counts()), needs_you: await groups.countMentioning(asker) };
  }

  function withAsker(filter: GroupFilter, asker: string | null): Result<GroupFilter> {
    if (filter.mentions === undefined) return ok(filter);
    if (options.members === null)
      return refuse('query_invalid', '`mentions` is for a server with accounts, and there are none here. Leave it out.');
    if (filter.mentions !== ME) return ok(filter);
    return asker === null
      ? refuse('query_invalid', '`mentions=me` is for a member who is signed in. Give the id of a member instead.')
      : ok({ ...filter, mentions: asker });
  }

  async function withLatest<Value>(id: string, read: (latest: FailureContext) => Promise<Result<Value>>): Promise<Result<Value>> {
    const latest = await groups.latest(id);
    return latest === null ? unknownGroup(id) : read(latest);
  }

  async function notified(id: string): Promise<Result<FailureGroupDetail>> {
    const group = await get(id);
    if (group.ok) options.notify(group.value.id);
    return group;
  }

  return {
    get,
    counts,

    async list(filter, asker = null) {
      const narrowed = withAsker(filter, asker);
      if (!narrowed.ok) return narrowed;
      const page = await groups.list(narrowed.value, now());
      if (page === null)
        return refuse('query_invalid', '`cursor` is not one that a list of failures gave. Leave it out to begin at the newest.');
      return ok({ ...page, counts: await counts(asker) });
    },

    occurrences(id, page) {
      return withLatest(id, async () => {
        const found = await groups.occurrences(id, page);
        return found === null
          ? refuse('query_invalid', '`cursor` is not one that a list of occurrences gave. Leave it out to begin at the newest.')
          : ok(found);
      });
    },

    changes: (id) =>
      withLatest(id, async ({ failure, goodRevision }) => {
        const failing = (await groups.get(id, now()))?.environment?.packages ?? null;
        return ok(await readChanges(revisions, failure, goodRevision, { failing, whenGood: options.packagesWhenGood }));
      }),
    source: (id) => withLatest(id, ({ failure }) => readSource(revisions, failure)),

    async change(id, change, actor) {
      const group = await get(id);
      if (!group.ok) return group;
      const { status = group.value.status, ignore_until: until } = change;
      if (until !== undefined && until !== null && status !== 'ignored')
        return refuse('body_fields_invalid', '"ignore_until" goes with the status "ignored". Send both, or leave it out.');
      if (typeof until === 'string' && until !== UNTIL_CHANGED && Date.parse(until) <= now().getTime())
        return refuse('body_fields_invalid', '"ignore_until" must be a time that is still to come, "changed", or null (for good).');
      const assignee = chooseAssignee(change.assignee, (await options.members?.()) ?? null);
      if (!assignee.ok) return assignee;
      await groups.change(
        id,
        {
          status: change.status ?? (until === undefined ? undefined : status),
          ...assignee.value,
          reason: change.reason === '' ? null : change.reason,
          ignoreUntil: typeof until === 'string' && until !== UNTIL_CHANGED ? new Date(until).toISOString() : until,
          resolvedBy: { revision: options.revisionOf(group.value.extension), snapshot_version: options.snapshotVersion() },
        },
        by(actor),
      );
      watch();
      return notified(id);
    },

    async comment(id, text, actor) {
      const active = (await options.members?.())?.filter((member) => member.active) ?? [];
      const mentions = findMentions(text, active).map(({ id: memberId, name }) => ({ id: memberId, name }));
      const outcome = await groups.comment(id, text, mentions, by(actor));
      if (outcome === 'missing') return unknownGroup(id);
      if (outcome === 'full')
        return refuse('state_conflict', `This failure has ${LIMITS.commentsPerGroup} comments, which is the maximum.`);
      return notified(id);
    },

    async merge(id, into, actor) {
      const outcome = await groups.merge(id, into, by(actor));
      switch (outcome) {
        case 'missing':
          return unknownGroup((await get(id)).ok ? into : id);
        case 'same':
          return refuse('state_conflict', 'Both ids are already the same group.');
        case 'other_extension':
          return refuse(
            'state_conflict',
            'Only failures of one extension can be merged. Failures of several extensions with one cause are grouped automatically.',
          );
        case 'merged':
          options.notify(id);
          return notified(into);
      }
    },

    async split(id, failureId, actor) {
      const outcome = await groups.split(id, failureId, by(actor));
      switch (outcome.kind) {
        case 'missing':
          return (await get(id)).ok ? refuse('failure_not_found', 'This group has no occurrence with this id.') : unknownGroup(id);
        case 'alone':
          return refuse('state_conflict', 'This is the only occurrence in the group, so it cannot be split off.');
        case 'same_words':
          return refuse(
            'state_conflict',
            'All occurrences in this group have the same text, so the next one could not be assigned to either group.',
          );
        case 'own_fingerprint':
          return refuse('state_conflict', 'The group was created for this occurrence. Split off the occurrences merged into it instead.');
        case 'split':
          options.notify(id);
          return notified(outcome.groupId);
      }
    },

    close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function unknownGroup(id: string): Result<never> {
  return refuse('failure_not_found', `Failure “${id.slice(0, 80)}” not found. GET /api/v1/failures lists all failures.`);
}

/** People who can be assigned or mentioned. */
interface Teammate {
  readonly id: string;
  /** Unique, ignoring case. */
  readonly name: string;
  /** False: cannot sign in. */
  readonly active: boolean;
}

const NAMES_LISTED = 20;

/**
 * In a team, a member who can sign in, with the spelling of their own name; without accounts (`members` is null), any
 * name.
 */
export function chooseAssignee(
  given: string | null | undefined,
  members: readonly Teammate[] | null,
): Result<Pick<GroupSettings, 'assignee' | 'assigneeId'>> {
  if (given === undefined || given === null || members === null) return ok({ assignee: given });
  const key = given.toLowerCase();
  const member = members.find(({ name }) => name.toLowerCase() === key);
  if (member?.active === true) return ok({ assignee: member.name, assigneeId: member.id });
  return refuse(
    'body_fields_invalid',
    member === undefined
      ? `"assignee" must be a member of this team, or null. “${given}” is not a member; the members are ${namesOf(members)}.`
      : `"assignee" must be a member who can sign in, or null. The account of ${member.name} is inactive; the members are ${namesOf(members)}.`,
  );
}

function namesOf(members: readonly Teammate[]): string {
  const names = members.flatMap(({ name, active }) => (active ? [name] : []));
  const more = names.length - NAMES_LISTED;
  return `${names.slice(0, NAMES_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
