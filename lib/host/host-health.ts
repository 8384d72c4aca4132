import { existsSync } from 'node:fs';
import type { ExtensionState } from '#lib/contract/extension.ts';
import type { StorageHealth } from '#lib/store/store.ts';
import { findNoNetworkPrefix, findParentDeathPrefix } from '#lib/runtime/parent-death.ts';
import type { HostHealth } from './host.ts';

export interface HealthFacts {
  readonly state: HostHealth['status'];
  readonly snapshotVersion: number;
  readonly extensions: readonly ExtensionState[];
  readonly storage: StorageHealth;
  /** Finished calls whose end is not stored yet. */
  readonly unwrittenEnds: number;
  /** Whether watching is enabled but does not work. */
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

/**
 * How extensions are isolated from the host and each other on this machine: against faults, not against malicious code.
 */
interface IsolationReport {
  current(): HostHealth['isolation'];
}

type Level = HostHealth['isolation']['levels'][number];

/** A mechanism that must be tested first is off until then. docs/security.md explains what each one prevents. */
export function createIsolationReport(): IsolationReport {
  const isLinux = process.platform === 'linux';
  const has = { parentDeath: false, noNetwork: false };
  Promise.all([findParentDeathPrefix(), findNoNetworkPrefix()]).then(
    ([parentDeath, noNetwork]) => Object.assign(has, { parentDeath: parentDeath.length > 0, noNetwork: noNetwork.length > 0 }),
    () => undefined,
  );
  const levels = (): readonly Level[] => [
    level('process', true, 'each extension runs in its own process, with a filtered environment and time limits', ''),
    level('permissions', true, 'Node enforces EXTENSION_ALLOW; Python and MCP servers are not restricted', ''),
    level(
      'memory',
      isLinux,
      'a process that exceeds EXTENSION_MEMORY_MB is ended, Buffers included',
      "only V8's heap limit applies, which excludes Buffers: this is not Linux",
    ),
    level(
      'parent_death',
      has.parentDeath,
      'the kernel ends extensions with the server',
      'extensions exit when they notice that the server is gone, because setpriv --pdeathsig is missing',
    ),
    level(
      'leftovers',
      process.platform !== 'win32' && existsSync('/bin/sh'),
      isLinux
        ? 'programs that extensions start end with them, and with the server, even if it is killed'
        : 'process groups of extensions end with them, and with the server, even if it is killed',
      'programs that extensions start may outlive them: there is no /bin/sh',
    ),
    level(
      'network_namespace',
      has.noNetwork,
      'Python extensions without the permission net have no network',
      'Python extensions have network access, whatever EXTENSION_ALLOW says: unshare --user --net does not work here',
    ),
  ];
  return {
    current() {
      const all = levels();
      return { level: 'process and permissions', detail: all.map(({ note }) => note), levels: all };
    },
  };
}

function level(name: Level['name'], isOn: boolean, on: string, off: string): Level {
  return { name, is_on: isOn, note: isOn ? on : off };
}
