import type { IdempotentCalls } from '#lib/calls/idempotent-calls.ts';
import type { Dependencies } from '#lib/dependencies/dependencies.ts';
import type { Instances } from '#lib/instances/instances.ts';
import { environmentsInUse, sweepArtifacts } from '#lib/loader/artifact-sweep.ts';
import type { Store } from '#lib/store/store.ts';
import type { HostConfig } from './config.ts';
import type { Logger } from './logger.ts';
import { createRetentionSweeper } from './retention.ts';
import type { RetentionSweeper } from './retention.ts';

/**
 * Removes what is old: rows of the database, on one of the servers that share it (under a lease), and unused files in the
 * data folder, on each.
 */
export interface Maintenance {
  /** Removes now what is otherwise removed each hour. */
  sweep(): void;
  readonly removed: RetentionSweeper['removed'];
  close(): Promise<void>;
}

export interface MaintenanceOptions {
  readonly instances: Instances;
  readonly store: Store;
  readonly kept: HostConfig['kept'];
  readonly idempotent: IdempotentCalls;
  readonly artifactsDir: string;
  /** Null: the folder with environments belongs to another host. */
  readonly dependencies: Dependencies | null;
  readonly logger: Logger;
}

const LEASE = 'maintenance';
const SWEEP_MS = 3_600_000;

export function createMaintenance({
  instances,
  store,
  kept,
  idempotent,
  artifactsDir,
  dependencies,
  logger,
}: MaintenanceOptions): Maintenance {
  const giveUp = instances.own(LEASE, { onTaken: () => undefined, onLost: () => undefined });
  const isOwner = (): boolean => instances.stillHolds(LEASE);
  const retention = createRetentionSweeper({
    retention: store.retention,
    kept,
    isOwner,
    onError: (kind, error) => logger.warn(`old ${kind} could not be removed`, { error }),
  });

  /** Reports an error, and waits for nothing. */
  function run(what: string, work: Promise<number | void>): void {
    work.then(
      (count) => logger.debug(`removed ${what}`, count === undefined ? {} : { count }),
      (error: unknown) => logger.warn(`could not remove ${what}`, { error }),
    );
  }

  function sweep(): void {
    if (isOwner()) run('old idempotency keys', idempotent.sweep());
    run('unused programs', sweepArtifacts(artifactsDir, store));
    if (dependencies !== null)
      run(
        'unused environments',
        environmentsInUse(store).then((inUse) => dependencies.sweep(inUse)),
      );
  }
  const timer = setInterval(sweep, SWEEP_MS).unref();

  return {
    sweep,
    removed: retention.removed,
    async close() {
      clearInterval(timer);
      retention.close();
      await giveUp();
    },
  };
}
