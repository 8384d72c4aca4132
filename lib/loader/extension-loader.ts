import path from 'node:path';
import type { Result } from '#lib/contract/result.ts';
import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import type { Incident } from '#lib/runtime/runtime.ts';
import type { FinishedLoad } from './commit.ts';
import type { CommitContext } from './commit-context.ts';
import { commitLoads } from './commit.ts';
import type { EarlyLook } from './early-look.ts';
import { createEarlyLook } from './early-look.ts';
import { publishSnapshot } from './publish-snapshot.ts';
import { recordFailure } from './record-failure.ts';
import { settleFailures } from './settle-failures.ts';
import type { Slot } from './extension-slot.ts';
import { relativeFile } from './failure-occurrence.ts';
import { commitInGroups, createSerial } from './load-batch.ts';
import type { Cycle } from './load-starter.ts';
import { createLoadStarter, VANISHED_MS } from './load-starter.ts';
import type { LoaderOptions, LoaderState } from './loader-state.ts';
import { drain } from './loader-state.ts';
import { createServerRetries } from './server-retries.ts';
import { takeDescription } from './take-description.ts';
import type { Watcher } from './watcher.ts';
import { createWatcher } from './watcher.ts';

/**
 * Keeps the registry true to the extensions folder: scan → load what is new or changed → commit. Each id is loaded by one
 * load at a time; a newer load of the same id overtakes the older one, and loads of different ids do not wait for each other.
 * What goes wrong: entries that vanish for the moment of a save (looked at again before they are withdrawn), changes that
 * arrive while a scan runs (one more scan follows), storage that refuses (what was loaded is dropped and tried again).
 */
export interface ExtensionLoader {
  /** The first load. Resolves when every extension has loaded or failed. */
  start(): Promise<void>;
  /** @returns ids that changed */
  reload(ids: readonly string[] | null, cause: SnapshotCause): Promise<readonly string[]>;
  /** Takes in what was saved, as watching does, for a cause that is known. @returns ids that changed */
  look(cause: SnapshotCause): Promise<readonly string[]>;
  readonly state: LoaderState;
  readonly watcher: Watcher;
  /** While somebody writes files here, what is seen of it waits: the look that follows says who it was. */
  hold<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Runs work that changes a slot between two commits, then publishes what came of it; a load that follows makes the version. */
  change<Value>(
    cause: SnapshotCause,
    work: (context: CommitContext) => Promise<Result<Value>>,
    then?: 'publish' | 'load-follows',
  ): Promise<Result<Value>>;
  close(): Promise<void>;
}

/** The watcher answers a save too, once or twice. */
const LOOKS_MOST = 3;
const GRACE_MS = 1_000;
const STORAGE_RETRY_MS = 1_000;

export function createExtensionLoader(options: LoaderOptions): ExtensionLoader {
  const state: LoaderState = { options, slots: new Map(), draining: new Set() };
  const scans = createSerial();
  const commits = createSerial();
  let isStarting = true;
  let closed = false;
  let early: EarlyLook | null = null;
  const looks = new Set<NodeJS.Timeout>();
  let holds = 0;
  /** What was told of meanwhile. */
  const held = new Set<string>();
  const beginLoads = createLoadStarter(state, handleIncident, () => lookAgain(0, []));
  const retries = createServerRetries({
    state,
    random: Math.random,
    retry: (id) => runQuietly({ cause: { kind: 'recovery', actor: null, files: [] }, ids: [id], retriesFailed: true, isStart: false }),
  });
  const watcher = createWatcher({
    folder: options.extensionsDir,
    mode: options.watch,
    onPause: (files) => {
      if (isStarting || closed || holds > 0) return null;
      early = createEarlyLook(state, files);
      return early.isWhole;
    },
    onChange: (files, isSettled) => {
      const taken = isSettled ? early : null;
      early = null;
      if (holds > 0) files.forEach((file) => held.add(relativeFile(options.extensionsDir, file)));
      else if (!isStarting) runQuietly({ ...watchCycle(files), early: taken });
    },
    onState: () => options.publish('snapshot.changed', { snapshot_version: options.registry.current().version }),
  });

  function runQuietly(cycle: Cycle): void {
    runCycle(cycle).catch((error: unknown) => {
      if (!closed)
        options.log('error', 'a change could not be taken in; it is tried again', {
          error: error instanceof Error ? error.message : String(error),
        });
    });
  }

  function watchCycle(files: readonly string[]): Cycle {
    return {
      cause: { kind: 'watch', actor: null, files: files.map((file) => relativeFile(options.extensionsDir, file)) },
      ids: null,
      retriesFailed: false,
      isStart: false,
    };
  }

  /** Looks again after `ms`, or when an earlier look is due anyway. */
  function lookAgain(ms: number, files: readonly string[]): void {
    if (closed) return;
    const timer = setTimeout(() => {
      looks.delete(timer);
      runQuietly({ ...watchCycle([]), cause: { kind: 'watch', actor: null, files: [...files] } });
    }, ms);
    looks.add(timer);
  }

  async function runCycle(cycle: Cycle): Promise<readonly string[]> {
    const beganAt = performance.now();
    const { loads, underWay, hasMoved, mustLookAgain, files } = await scans(() => beginLoads(cycle));
    const cause = cycle.cause.kind === 'watch' && files.length > 0 ? { ...cycle.cause, files: [...files] } : cycle.cause;
    const context: CommitContext = { cause, beganAt, isPartial: false, onIncident: handleIncident };
    if (closed) return [];
    if (mustLookAgain) lookAgain(VANISHED_MS + 2, cycle.cause.files);
    const changed = new Set<string>();
    const note = (ids: readonly string[]): void => ids.forEach((id) => changed.add(id));
    if (hasMoved || (cycle.isStart && loads.length === 0))
      note(await commits(() => publishSnapshot(state, { ...context, isPartial: cycle.isStart && loads.length > 0 })));
    let left = loads.length;
    await commitInGroups(loads, GRACE_MS, async (finished) => {
      left -= finished.length;
      const isPartial = cycle.isStart && left > 0;
      const wasDirty = finished.some(({ slot, generation }) => slot.generation === generation && slot.loading?.isDirty === true);
      await commits(async () => {
        try {
          note(await commitLoads(state, finished, { ...context, isPartial }));
        } catch (error) {
          forget(finished);
          lookAgain(STORAGE_RETRY_MS, cycle.cause.files);
          throw error;
        }
      });
      if (wasDirty) lookAgain(0, cycle.cause.files);
    });
    if (underWay.length > 0) {
      await Promise.all(underWay);
      // They are done when their commit begins: whoever asked wants to see what came of it.
      await commits(async () => undefined);
    }
    watcher.watchAlso(outsideFiles());
    if (!closed) retries.look();
    const hopeful = [...state.slots.values()].filter((slot) => slot.newest?.failure?.code === 'duplicate_tool_name');
    if (changed.size > 0 && hopeful.length > 0 && !closed && !cycle.retriesFailed) {
      note(await runCycle({ ...cycle, ids: hopeful.map((slot) => slot.id), retriesFailed: true, early: null }));
    }
    return [...changed];
  }

  /** What was loaded could not be stored: end it and let the next look begin anew. */
  function forget(finished: readonly FinishedLoad[]): void {
    for (const { slot, result } of finished) {
      if (result.kind === 'loaded' && slot.serving?.running !== result.running) drain(state, result.running);
      slot.loading?.finish();
      slot.loading = null;
      if (slot.newest !== null) slot.newest = { ...slot.newest, inputs: [], failure: null };
    }
  }

  function loadsUnderWay(): Promise<void>[] {
    return [...state.slots.values()].flatMap(({ loading }) => (loading === null ? [] : [loading.done]));
  }

  function outsideFiles(): string[] {
    const files = [...state.slots.values()].flatMap((slot) => [
      ...(slot.newest?.inputs.map((input) => input.path) ?? []),
      ...(slot.newest?.missing ?? []),
    ]);
    return [...new Set(files)].filter((file) => path.relative(options.extensionsDir, file).startsWith('..'));
  }

  function handleIncident(slot: Slot, contentHash: string, incident: Incident): void {
    if (incident.type === 'log' || closed || (contentHash !== '' && slot.serving !== null && slot.serving.contentHash !== contentHash))
      return;
    const isRecovery = incident.type === 'process' && incident.state.state === 'running' && slot.breakdown !== null;
    // Whether a server's tools can be called hangs on its process; the set is the same, and whoever shows it looks again.
    if (incident.type === 'process' && slot.kind === 'mcp') {
      tellSnapshot();
      commits(() => settleFailures(state)).catch((error: unknown) =>
        options.log('error', 'failures could not be settled', { error: String(error) }),
      );
    }
    if (incident.type === 'process' && !isRecovery) return;
    if (incident.type === 'described') return takeNewDescription(slot);
    commits(async () => {
      const version = options.registry.current().version + 1;
      if (incident.type === 'failure') {
        const record = await recordFailure(state, slot, incident.failure, slot.serving?.revision ?? null, version);
        const endsService = record.code === 'crash_loop' || record.stage !== 'run';
        if (!endsService) return;
        slot.breakdown = record;
      } else slot.breakdown = null;
      await publishSnapshot(state, {
        cause: { kind: isRecovery ? 'recovery' : 'crash', actor: null, files: [] },
        beganAt: performance.now(),
        isPartial: false,
      });
      retries.look();
    }).catch((error: unknown) => options.log('error', 'an incident could not be recorded', { extension: slot.id, error: String(error) }));
  }

  function tellSnapshot(): void {
    options.publish('snapshot.changed', { snapshot_version: options.registry.current().version });
  }

  function takeNewDescription(slot: Slot): void {
    commits(async () => {
      await takeDescription(state, slot);
      const cause: SnapshotCause = { kind: 'described', actor: null, files: [] };
      const changed = await publishSnapshot(state, { cause, beganAt: performance.now(), isPartial: false });
      // The same names with other descriptions are no new version, and news to whoever shows them.
      if (changed.length === 0) tellSnapshot();
    }).catch((error: unknown) =>
      options.log('error', 'new tools of a server could not be taken', { extension: slot.id, error: String(error) }),
    );
  }

  return {
    state,
    watcher,
    async start() {
      await runCycle({ cause: { kind: 'start', actor: null, files: [] }, ids: null, retriesFailed: true, isStart: true });
      isStarting = false;
      if (options.watch === 'off') return;
      lookAgain(0, []);
      watcher.settled.then(
        () => lookAgain(0, []),
        (error: unknown) => options.log('warn', 'watching could not be tested', { error: String(error) }),
      );
    },
    reload: (ids, cause) => runCycle({ cause, ids, retriesFailed: true, isStart: false }),
    async look(cause) {
      const cycle: Cycle = { cause, ids: null, retriesFailed: false, isStart: false };
      // A load that had begun before the change may have read what was there then, and one of the watcher may take the place of ours.
      let mustLookAgain = loadsUnderWay().length > 0;
      const changed = new Set(await runCycle(cycle));
      for (let round = 0; round < LOOKS_MOST && !closed && (mustLookAgain || loadsUnderWay().length > 0); round += 1) {
        mustLookAgain = false;
        await Promise.all(loadsUnderWay());
        for (const id of await runCycle(cycle)) changed.add(id);
      }
      await commits(async () => undefined);
      return [...changed];
    },
    async hold(work) {
      holds += 1;
      try {
        return await work();
      } finally {
        holds -= 1;
        if (holds === 0 && held.size > 0) lookAgain(0, [...held]);
        if (holds === 0) held.clear();
      }
    },
    change: (cause, work, then = 'publish') =>
      commits(async () => {
        const context: CommitContext = {
          cause,
          beganAt: performance.now(),
          isPartial: then === 'load-follows',
          onIncident: handleIncident,
        };
        const result = await work(context);
        if (result.ok) await publishSnapshot(state, context);
        return result;
      }),
    async close() {
      closed = true;
      for (const timer of looks) clearTimeout(timer);
      retries.close();
      await watcher.close();
      for (const slot of state.slots.values()) {
        slot.loading?.controller.abort();
        if (slot.serving !== null) drain(state, slot.serving.running);
      }
      await Promise.all(state.draining);
      await Promise.all(options.runtimes.map((runtime) => runtime.close()));
      // Last: it ends the bundler's process, which a runtime may still be using to make its own program.
      await options.builder.close();
    },
  };
}
