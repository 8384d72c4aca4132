import { createFailureReview } from '#lib/failures/failure-review.ts';
import { readBuildRecord } from '#lib/loader/build-record.ts';
import type { EventLog } from '#lib/registry/event-log.ts';
import type { Registry } from '#lib/registry/registry.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import type { Store } from '#lib/store/store.ts';
import type { HostFailures } from './host.ts';
import type { Logger } from './logger.ts';

export interface HostFailuresOptions {
  readonly store: Store;
  readonly registry: Registry<RunningExtension>;
  readonly events: EventLog;
  readonly logger: Logger;
}

/** The review of failures, told to the pages as it goes. */
export function createHostFailures({ store, registry, events, logger }: HostFailuresOptions): HostFailures & { close(): void } {
  const review = createFailureReview({
    store,
    packagesWhenGood: (id, revision) => readBuildRecord(store.revisions.get(id, revision)?.build ?? null)?.packages ?? null,
    snapshotVersion: () => registry.current().version,
    revisionOf: (id) => registry.current().entries.get(id)?.extension.revision ?? null,
    tell: (group_id) => events.publish('failure.changed', { snapshot_version: registry.current().version, group_id }),
    onError: (error) => logger.warn('failures that were ignored for a time could not be opened again', { error }),
  });
  return {
    ...review,
    change: (id, change, actor) => review.change(id, change, actor.name),
    comment: (id, text, actor) => review.comment(id, text, actor.name),
    merge: (id, into, actor) => review.merge(id, into, actor.name),
    split: (id, failureId, actor) => review.split(id, failureId, actor.name),
  };
}
