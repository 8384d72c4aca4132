import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { IdempotentCalls } from '#lib/calls/idempotent-calls.ts';
import type { Dependencies } from '#lib/dependencies/dependencies.ts';
import type { Instances } from '#lib/instances/instances.ts';
import type { Store } from '#lib/store/store.ts';
import { readBuildRecord } from '#lib/loader/build.ts';
import type { HostConfig } from './config.ts';
import type { Logger } from './logger.ts';
import { createRetentionSweeper } from './retention.ts';
import type { RetentionSweeper } from './retention.ts';

/**
 * Removes expired data: rows of the database, on one of the servers that share it (under a lease), and unused files in the
 * data folder, on each server.
 */
export interface Maintenance {
  /** Runs the hourly removal now. */
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

  /** Runs in the background; errors are logged. */
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

const HASH = /^[0-9a-f]{64}$/;
/** A built program may not be recorded yet; younger ones are left alone. */
const YOUNGEST_MS = 600_000;

/** Several sources of an extension that loads files at run time can share one program. */
function programFolderOf(build: string | null): readonly string[] {
  const record = readBuildRecord(build);
  return record === null ? [] : [path.basename(path.dirname(record.programFile))];
}

/** Names of the environments of revisions that run or are available for a rollback. */
async function environmentsInUse(store: Pick<Store, 'revisions' | 'extensions'>): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  for (const { extension } of await store.extensions.all())
    for (const { runnable, build } of await store.revisions.list(extension)) {
      const folder = runnable ? readBuildRecord(build)?.environment : null;
      if (folder != null) used.add(path.basename(folder));
    }
  return used;
}

/**
 * Removes the programs of revisions that are no longer stored; programs in use or available for a rollback stay.
 * @returns the number removed
 */
export async function sweepArtifacts(
  artifactsDir: string,
  store: Pick<Store, 'revisions' | 'extensions'>,
  now = Date.now(),
): Promise<number> {
  const entries = await readdir(artifactsDir, { withFileTypes: true }).catch(() => []);
  const folders = entries
    .filter((entry) => entry.isDirectory() && HASH.test(entry.name))
    .map((entry) => path.join(artifactsDir, entry.name));
  const ages = await Promise.all(folders.map(async (folder) => now - (await stat(folder)).mtimeMs));
  const kept = new Set<string>();
  for (const { extension } of await store.extensions.all())
    for (const row of await store.revisions.list(extension))
      if (row.runnable) for (const folder of [row.contentHash, ...programFolderOf(row.build)]) kept.add(folder);
  const gone = folders.filter((folder, index) => (ages[index] ?? 0) > YOUNGEST_MS && !kept.has(path.basename(folder)));
  await Promise.all(gone.map((folder) => rm(folder, { recursive: true, force: true })));
  return gone.length;
}
