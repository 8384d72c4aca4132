import type { ExtensionState } from '#lib/contract/extension.ts';
import type { HostHealth } from './host.ts';

export interface HealthFacts {
  readonly state: HostHealth['status'];
  readonly snapshotVersion: number;
  readonly extensions: readonly ExtensionState[];
  readonly storage: HostHealth['storage'];
  /** Watching was asked for and does not work. */
  readonly isBlind: boolean;
  /** What is wrong with the extensions folder; null when nothing is. */
  readonly folderProblem: string | null;
  readonly isolation: HostHealth['isolation'];
  readonly uptimeMs: number;
}

export function describeHealth(facts: HealthFacts): HostHealth {
  const { state, extensions, storage } = facts;
  const count = (wanted: ExtensionState): number => extensions.filter((one) => one === wanted).length;
  return {
    status: state === 'ok' && (!storage.ok || facts.isBlind || facts.folderProblem !== null) ? 'degraded' : state,
    ready: state === 'ok',
    snapshot_version: facts.snapshotVersion,
    extensions: { total: extensions.length, ready: count('ready'), degraded: count('degraded'), failed: count('failed') },
    storage,
    extensions_dir: { ok: facts.folderProblem === null, reason: facts.folderProblem },
    isolation: facts.isolation,
    uptime_s: Math.round(facts.uptimeMs / 1_000),
  };
}
