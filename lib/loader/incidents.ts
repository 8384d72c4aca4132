import { FAILURE_CODES } from '#lib/contract/failure-codes.ts';
import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import { LOADED_MOST } from '#lib/runtime/messages.ts';
import type { Incident, LoadedFile, ProcessState, RawFailure } from '#lib/runtime/runtime.ts';
import type { SetWrites, StorageError } from '#lib/store/store.ts';
import type { Slot } from './extension-slot.ts';
import { currentVersion, nextVersion, announceFailure, prepareRecorded, recordFailure, writeFailure } from './record-failure.ts';
import type { LoaderState } from './loader-state.ts';
import { ownLoaded } from './loaded-files.ts';
import { publishSnapshot } from './publish-snapshot.ts';
import { settleFailures } from './settle-failures.ts';
import { slotStateOf } from './slot-changes.ts';
import { updateDescription, withChangedOwners } from './commit.ts';

const AGAIN_MS = 1_000;

export interface IncidentOptions {
  readonly state: LoaderState;
  /** Between two commits. */
  readonly commits: <Value>(work: () => Promise<Value>) => Promise<Value>;
  readonly isClosed: () => boolean;
  /** New files are watched. */
  readonly onLoaded: () => void;
  /** A revision stopped or recovered. */
  readonly onEnded: () => void;
}

/**
 * Turns events of a running revision into a failure, a recovery, or a new description. What can go wrong: the event
 * comes from a process that no longer serves (dropped); storage refuses (logged and retried).
 */
export function createIncidentHandler({
  state,
  commits,
  isClosed,
  onLoaded,
  onEnded,
}: IncidentOptions): (slot: Slot, contentHash: string, incident: Incident) => void {
  const { options } = state;

  function emitSnapshot(): void {
    options.publish('snapshot.changed', { snapshot_version: options.registry.current().version });
  }

  function applyNewDescription(slot: Slot): void {
    commits(async () => {
      const cause: SnapshotCause = { kind: 'described', actor: null, files: [] };
      const context = { cause, beganAt: performance.now(), isPartial: false };
      const stand = slotStateOf(slot);
      const take = async (writes: SetWrites): Promise<void> => {
        Object.assign(slot, stand);
        await updateDescription(state, slot, writes);
      };
      const changed = await publishSnapshot(state, null, context, take);
      // New descriptions of the same names create no new version, but clients must reload them.
      if (changed.length === 0) emitSnapshot();
      else withChangedOwners(state).forEach((one) => applyNewDescription(one.slot));
    }).catch((error: unknown) =>
      options.log('error', 'could not load new tools of a server', { extension: slot.id, error: String(error) }),
    );
  }

  /** A call or a new process loaded files; they are watched from now on. */
  function addLoadedFiles(slot: Slot, contentHash: string, files: readonly LoadedFile[]): void {
    commits(async () => {
      const { candidate, newest } = slot;
      if (candidate === null || newest === null || newest.contentHash !== contentHash) return;
      const known = new Set(newest.inputs.map((input) => input.path));
      const fresh = ownLoaded(files, candidate, options.extensionsDir).filter((file) => !known.has(file.path));
      if (fresh.length === 0) return;
      const paths = [...new Set([...newest.loaded.paths, ...fresh.map((file) => file.path)])].slice(0, LOADED_MOST);
      slot.newest = { ...newest, inputs: [...newest.inputs, ...fresh], loaded: { ...newest.loaded, paths } };
      onLoaded();
    }).catch((error: unknown) =>
      options.log('error', 'could not watch files loaded at run time', { extension: slot.id, error: String(error) }),
    );
  }

  async function record(slot: Slot, incident: Incident, isRecovery: boolean): Promise<void> {
    const before = slot.breakdown;
    const revision = slot.serving?.revision ?? null;
    if (incident.type === 'failure' && !endsService(incident.failure)) {
      await recordFailure(state, slot, incident.failure, revision, currentVersion(state));
      return;
    }
    const cause: SnapshotCause = { kind: isRecovery ? 'recovery' : 'crash', actor: null, files: [] };
    const context = { cause, beganAt: performance.now(), isPartial: false };
    try {
      const prepared = incident.type === 'failure' ? await prepareRecorded(state, slot, incident.failure, revision) : null;
      const versionOf = nextVersion(state);
      await publishSnapshot(
        state,
        null,
        context,
        async (writes) => {
          slot.breakdown = prepared === null ? null : await writeFailure(writes, prepared, revision, versionOf);
        },
        () => {
          if (slot.breakdown !== null) announceFailure(state, slot.breakdown);
        },
      );
    } catch (error) {
      slot.breakdown = before;
      throw error;
    }
    onEnded();
  }

  /** Between two commits; retried a moment later while storage refuses and the same revision serves. */
  function recordLater(slot: Slot, incident: Incident, isRecovery: boolean): void {
    const running = slot.serving?.running;
    commits(() => record(slot, incident, isRecovery)).catch((error: unknown) => {
      options.log('error', 'could not record an incident', { extension: slot.id, error: String(error) });
      if (!isRefusal(error)) return;
      setTimeout(() => {
        if (!isClosed() && slot.serving?.running === running) recordLater(slot, incident, isRecovery);
      }, AGAIN_MS).unref();
    });
  }

  return (slot, contentHash, incident) => {
    if (incident.type === 'process' && isCrash(incident.state.state)) options.crashed(slot.id);
    if (incident.type === 'log' || isClosed() || (contentHash !== '' && slot.serving !== null && slot.serving.contentHash !== contentHash))
      return;
    if (incident.type === 'notice') return options.serverNotice(incident.notice);
    if (incident.type === 'loaded') return addLoadedFiles(slot, contentHash, incident.files);
    const isRecovery = incident.type === 'process' && incident.state.state === 'running' && slot.breakdown !== null;
    // A server's process decides whether its tools can be called; the set is unchanged, but clients must reload it.
    if (incident.type === 'process' && slot.kind === 'mcp') {
      emitSnapshot();
      commits(() => settleFailures(state)).catch((error: unknown) =>
        options.log('error', 'could not resolve failures', { error: String(error) }),
      );
    }
    if (incident.type === 'process' && !isRecovery) return;
    if (incident.type === 'described') return applyNewDescription(slot);
    recordLater(slot, incident, isRecovery);
  };
}

/** A stopped server is started again with the next call; stopping too often is a crash loop. */
function endsService({ code }: RawFailure): boolean {
  return code === 'crash_loop' || (code !== 'mcp_error' && FAILURE_CODES[code].stage !== 'run');
}

function isRefusal(error: unknown): boolean {
  const codes: readonly StorageError['code'][] = ['storage_unavailable', 'storage_full'];
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}

/** Entered only when a process ended unexpectedly. */
function isCrash(state: ProcessState['state']): boolean {
  return state === 'backoff' || state === 'crash_loop';
}
