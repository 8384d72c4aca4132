import * as z from 'zod';
import { initialsOf } from '#lib/accounts/session-view.ts';
import { presenceNoteSchema } from '#lib/contract/failure-group.ts';
import { ok } from '#lib/contract/result.ts';
import type { Instances } from '#lib/instances/instances.ts';
import { createFailurePresence } from '#lib/failures/failure-presence.ts';
import { createFailureReview } from '#lib/failures/failure-review.ts';
import { readBuildRecord } from '#lib/loader/build.ts';
import type { EventLog } from '#lib/registry/event-log.ts';
import type { Registry } from '#lib/registry/snapshot.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import type { Store } from '#lib/store/store.ts';
import type { HostFailures } from './host.ts';
import type { Logger } from './logger.ts';

export interface HostFailuresOptions {
  readonly store: Store;
  readonly registry: Registry<RunningExtension>;
  readonly events: EventLog;
  readonly instances: Pick<Instances, 'id' | 'notify' | 'onNotice'>;
  readonly logger: Logger;
  /** With accounts: failures are assigned to members, and presence is shown. */
  readonly isTeam: boolean;
}

export interface OwnedFailures extends HostFailures {
  /** Removes the presence of an ended session. */
  endSession(sessionId: string): void;
  close(): void;
}

const noticeSchema = z.object({
  from: z.string(),
  group: z.string(),
  person: z.object({ id: z.string(), name: z.string(), initials: z.string(), sessionId: z.string() }),
  note: presenceNoteSchema,
});

/** Failure review, with its events for pages. */
export function createHostFailures({ store, registry, events, instances, logger, isTeam }: HostFailuresOptions): OwnedFailures {
  const presence = createFailurePresence({
    notify: (group_id) => events.publish('failure.presence', { snapshot_version: registry.current().version, group_id }),
  });
  const review = createFailureReview({
    store,
    packagesWhenGood: async (id, revision) => readBuildRecord((await store.revisions.get(id, revision))?.build ?? null)?.packages ?? null,
    members: isTeam ? () => store.accounts.members() : null,
    snapshotVersion: () => registry.current().version,
    revisionOf: (id) => registry.current().entries.get(id)?.extension.revision ?? null,
    notify: (group_id) => events.publish('failure.changed', { snapshot_version: registry.current().version, group_id }),
    onError: (error) => logger.warn('could not reopen ignored failures', { error }),
  });
  // A lost notification is repeated: pages report their presence as long as they are open.
  instances.onNotice('presence', (about) => {
    const read = about === '' ? null : noticeSchema.parse(JSON.parse(about));
    if (read !== null && read.from !== instances.id()) presence.note(read.group, read.person, read.note);
  });
  return {
    ...review,
    change: (id, change, actor) => review.change(id, change, actor.name),
    comment: (id, text, actor) => review.comment(id, text, actor.name),
    merge: (id, into, actor) => review.merge(id, into, actor.name),
    split: (id, failureId, actor) => review.split(id, failureId, actor.name),
    async attend(id, { name, ...person }, note) {
      const group = await review.get(id);
      if (!group.ok) return group;
      const present = { ...person, name, initials: initialsOf(name) };
      instances.notify('presence', JSON.stringify({ from: instances.id(), group: group.value.id, person: present, note }));
      return ok(presence.note(group.value.id, present, note));
    },
    endSession: (sessionId) => presence.endSession(sessionId),
    close() {
      review.close();
      presence.close();
    },
  };
}
