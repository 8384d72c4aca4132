import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { createHash } from 'node:crypto';
import { openSealer } from '#lib/secrets/sealer.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { FolderClaim } from '#lib/store/sqlite/folder-claim.ts';
import { claimFolder } from '#lib/store/sqlite/folder-claim.ts';
import { makeFolder } from '#lib/store/make-folder.ts';
import { openStore } from '#lib/store/open-store.ts';
import type { Store } from '#lib/store/store.ts';
import { runEsbuild } from '#lib/runtime/run-esbuild.ts';
import { writeAtomically } from '#lib/loader/write-atomically.ts';
import type { HostConfig } from './config.ts';
import type { Logger } from './logger.ts';

/**
 * Everything in DATA_DIR that a host needs, locked for it. What can go wrong, each reported in one line with nothing
 * left locked: another server holds the folder, the database cannot be opened, the program folders cannot be written.
 */
export interface DataFolder {
  readonly claim: FolderClaim;
  readonly store: Store;
  readonly sealer: Sealer;
  readonly artifactsDir: string;
  readonly cacheDir: string;
  readonly environmentsDir: string;
  /** The file behind the import `switchboard`. */
  readonly authorModule: string;
}

export type OpenDataFolder = ({ readonly ok: true } & DataFolder) | { readonly ok: false; readonly reason: string };

/**
 * @param authorSource the source of the module behind the import `switchboard`
 * @param cacheDir folder for the programs of processes; several hosts may share it
 * @param environmentsDir folder for installed dependencies; several hosts may share it
 */
export async function openDataFolder(
  { dataDir, durability, database, secretsKeys }: Pick<HostConfig, 'dataDir' | 'durability' | 'database' | 'secretsKeys'>,
  authorSource: string,
  cacheDir = path.join(dataDir, 'programs'),
  environmentsDir = path.join(dataDir, 'environments'),
): Promise<OpenDataFolder> {
  const claimed = claimFolder(dataDir);
  if (!claimed.ok)
    return {
      ok: false,
      reason: claimed.isTaken
        ? `DATA_DIR cannot be used: ${claimed.reason} Stop that one, or set DATA_DIR to another folder. Several servers on one installation need PostgreSQL.`
        : `DATA_DIR (${dataDir}) cannot be used: ${claimed.reason}`,
    };
  const { claim } = claimed;
  const artifactsDir = path.join(dataDir, 'artifacts');
  let authorModule: string;
  try {
    for (const folder of [artifactsDir, cacheDir, environmentsDir]) {
      makeFolder(folder);
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    }
    authorModule = await writeAuthorModule(authorSource, artifactsDir);
  } catch (error) {
    claim.release();
    const why = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      reason: `DATA_DIR (${dataDir}) cannot be used: the programs of extensions could not be written there (${why}). Its folders artifacts, programs and environments must belong to the user who runs the server, on a disk with space left.`,
    };
  }
  const sealing = openSealer(dataDir, secretsKeys);
  if (!sealing.ok) {
    claim.release();
    return sealing;
  }
  const opened = await openStore({ ...(database ?? { file: path.join(dataDir, 'switchboard.db') }), durability });
  if (!opened.ok) {
    claim.release();
    return opened;
  }
  return { ok: true, claim, store: opened.store, sealer: sealing.sealer, artifactsDir, cacheDir, environmentsDir, authorModule };
}

/** Ends the calls that were running when the server last stopped; logs their number and the result of the database check. */
export async function endInterruptedCalls(store: Store, logger: Logger): Promise<void> {
  store.examined?.then(
    (damage) => (damage === null ? logger.info('The database was checked after the last stop; no damage found') : logger.error(damage)),
    (error: unknown) => logger.warn('The database could not be checked', { error }),
  );
  // With several servers, each one ends the calls of servers that are gone.
  const interrupted = store.shared === null ? await store.calls.closeInterrupted() : 0;
  if (interrupted > 0) logger.warn(`${interrupted} calls were interrupted when the server last stopped; they are recorded as failed`);
}

/**
 * Writes the module behind the import `switchboard` beside the artifacts, as one file, and returns its path. An
 * extension's process may read that folder but not the host's own code. Stored revisions refer to the file, so it is
 * named by its hash and stays.
 */
async function writeAuthorModule(source: string, artifactsDir: string): Promise<string> {
  const result = await runEsbuild({
    entryPoints: [source],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    logLevel: 'silent',
  });
  const text = result.outputFiles[0]?.text;
  if (text === undefined) throw new Error('esbuild wrote no module for extension authors');
  const file = path.join(artifactsDir, `switchboard-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.mjs`);
  await writeAtomically(file, text);
  return file;
}
