import type { ExtensionState } from '#lib/contract/extension.ts';
import type { StorageHealth } from '#lib/store/store.ts';
import type { HostHealth } from './host.ts';

export interface HealthFacts {
  readonly state: HostHealth['status'];
  readonly snapshotVersion: number;
  readonly extensions: readonly ExtensionState[];
  readonly storage: StorageHealth;
  /** Finished calls whose end is not stored yet. */
  readonly unwrittenEnds: number;
  /** Watching is enabled and does not work. */
  readonly isBlind: boolean;
  /** The problem with the extensions folder; null without one. */
  readonly folderProblem: string | null;
  readonly isolation: HostHealth['isolation'];
  /** Extensions that other instances serve and this one does not. */
  readonly lacking: readonly string[];
  readonly uptimeMs: number;
}

export function describeHealth(facts: HealthFacts): HostHealth {
  const { state, extensions } = facts;
  const storage = storageOf(facts);
  const count = (wanted: ExtensionState): number => extensions.filter((one) => one === wanted).length;
  return {
    status: state === 'ok' && (!storage.ok || facts.isBlind || facts.folderProblem !== null) ? 'degraded' : state,
    ready: state === 'ok' && facts.storage.isAway !== true,
    snapshot_version: facts.snapshotVersion,
    extensions: { total: extensions.length, ready: count('ready'), degraded: count('degraded'), failed: count('failed') },
    storage,
    extensions_dir: { ok: facts.folderProblem === null, reason: facts.folderProblem },
    isolation: facts.isolation,
    ...(facts.lacking.length === 0 ? {} : { served_only_elsewhere: [...facts.lacking] }),
    uptime_s: Math.round(facts.uptimeMs / 1_000),
  };
}

/** Storage may accept small or new writes, and still refuse one that a caller waits for. */
function storageOf({ storage, unwrittenEnds }: HealthFacts): HostHealth['storage'] {
  if (unwrittenEnds === 0) return { ok: storage.ok, reason: storage.reason };
  const waiting = unwrittenEnds === 1 ? '1 finished call waits' : `${unwrittenEnds} finished calls wait`;
  const reason = `${waiting} for the database to store the end; Switchboard retries every second, then answers.`;
  return { ok: false, reason: storage.reason === null ? reason : `${storage.reason} ${reason}` };
}
