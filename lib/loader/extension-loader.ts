import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from '#lib/contract/result.ts';
import { ok } from '#lib/contract/result.ts';
import type { StartProgress } from '#lib/contract/extension.ts';
import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import type { FinishedLoad } from './commit.ts';
import { commitLoads, withChangedOwners, withTakenNames } from './commit.ts';
import { type CommitContext, drain, type LoaderOptions, type LoaderState } from './loader-state.ts';
import { changeSlot, withdraw } from './slot-changes.ts';
import type { EarlyBuild } from './early-build.ts';
import { createEarlyBuild } from './early-build.ts';
import { mainFile, type Tried } from './extension-slot.ts';
import { relativeFile } from './failure-occurrence.ts';
import { createFolderWatch, touchedParts } from './scan.ts';
import type { FolderProblem } from './scan.ts';
import { createIncidentHandler } from './incidents.ts';
import { commitInGroups, createSerial } from './load-batch.ts';
import type { Cycle } from './load-starter.ts';
import { createLoadStarter, VANISHED_MS } from './load-starter.ts';
import { createDeferredScan } from './deferred-scan.ts';
import { createLinkWatch, createWatcher, type Watcher } from './watcher.ts';
import { createStartProgress } from './start-progress.ts';
import { createLoadRetries } from './load-retries.ts';
import { prepareSchemaChecks } from '#lib/schema/check-schema.ts';
import { createScanner } from './scanner.ts';
import { extensionsToRetry } from './waiting-names.ts';

/**
 * Keeps the registry in sync with the extensions folder: scan → load new and changed extensions → commit. Each id has one
 * load at a time; a newer load of an id replaces the older one, and loads of different ids do not wait for each other.
 * What can go wrong:
 * - an entry vanishes for a moment during a save: it is checked again before it is withdrawn;
 * - changes arrive during a scan: one more scan follows;
 * - storage refuses: the loaded revisions are dropped and loaded again;
 * - the folder is missing: its extensions are removed; it is unreadable: the serving revisions stay and it is scanned again.
 */
export interface ExtensionLoader {
  /** The first load. Resolves when every extension has loaded or failed. */
  start(): Promise<void>;
  /**
   * @param buildsAgain also builds extensions whose files have not changed
   * @returns ids that changed
   */
  reload(ids: readonly string[] | null, cause: SnapshotCause, buildsAgain?: boolean): Promise<readonly string[]>;
  /**
   * Writes files and loads the changes, for a known author: no scan runs in between, because it would record the load as
   * a save without an author. When the write refuses, nothing is loaded. @returns ids that changed
   */
  save(write: () => Promise<Result<null>>, cause: SnapshotCause): Promise<Result<readonly string[]>>;
  /**
   * Other servers serve these extensions. One that failed here before they had stored its description is loaded once more, because
   * only then its tools are known here, as unavailable.
   */
  learn(ids: readonly string[]): void;
  readonly state: LoaderState;
  readonly watcher: Watcher;
  /** Null, except during the first load. */
  progress(): StartProgress | null;
  /** Result of the last scan. */
  folderProblem(): FolderProblem | null;
  /**
   * Runs a change of this slot between two commits, then publishes the result; a load that follows creates the version.
   */
  change<Value>(
    id: string | null,
    cause: SnapshotCause,
    work: (context: CommitContext) => Promise<Result<Value>>,
    how?: { readonly loadFollows?: boolean; onCommitted?(): void },
  ): Promise<Result<Value>>;
  close(): Promise<void>;
}

/** The watcher also reports the save, once or twice. */
const LOOKS_MOST = 3;
const SAVE_TIMES = { graceMs: 1_000, everyMs: null };
/** A start is one version, but its extensions serve before the last one has loaded. */
const START_TIMES = { graceMs: 1_000, everyMs: 1_000 };
/** A save rarely continues after such a pause, so an incomplete file is hardly ever imported. The commit waits longer. */
const LOAD_AHEAD_AFTER_MS = 4;
const STORAGE_RETRY_MS = 1_000;
/** Folders per step of a background scan. */
const STEP_MOST = 64;
/** The pause between polls, as a multiple of the scan duration. */
const POLLING_REST = 4;

export function createExtensionLoader(options: LoaderOptions): ExtensionLoader {
  const state: LoaderState = {
    options,
    slots: new Map(),
    unpublished: new Set(),
    draining: new Set(),
    scanner: createScanner(options.extensionsDir),
    newest: null,
  };
  const scans = createSerial();
  const commits = createSerial();
  let isStarting = true;
  let closed = false;
  /** Whether storage refused the current state of the slots. */
  let isUnpublished = false;
  let early: EarlyBuild | null = null;
  /** Loads of a save that has not settled. */
  let ahead: { readonly early: EarlyBuild; settle(after?: Promise<void>): void } | null = null;
  const looks = new Set<NodeJS.Timeout>();
  const handleIncident = createIncidentHandler({
    state,
    commits,
    isClosed: () => closed,
    onLoaded: () => scanAgain(0, []),
    onEnded: () => retries.look(),
  });
  const beginLoads = createLoadStarter(state, handleIncident, () => scanAgain(0, []));
  const retries = createLoadRetries({
    state,
    random: Math.random,
    retry: (id) => runQuietly({ cause: { kind: 'recovery', actor: null, files: [] }, ids: [id], retriesFailed: true, isStart: false }),
  });
  const watcher = createWatcher({
    folder: options.extensionsDir,
    mode: options.watch,
    onPause: (files, areSaves) => {
      options.filesChanged(files);
      deferredScan.rest();
      if (isStarting || closed) return;
      const built = createEarlyBuild(state, files, areSaves, touchedBy(files));
      early = built;
      void Promise.all([built.haveNewSource, sleep(LOAD_AHEAD_AFTER_MS)]).then(([haveNewSource]) => {
        if (haveNewSource && early === built) loadAhead(built, files);
      });
    },
    onChange: (files, isSettled) => {
      options.filesChanged(files);
      const taken = isSettled ? early : null;
      early = null;
      const loads = ahead;
      ahead = null;
      if (loads !== null && loads.early === taken) {
        loads.settle();
        deferredScan.schedule();
        return;
      }
      if (!isStarting && (files.length > 0 || performance.now() - scannedAt > POLLING_REST * scanMs)) {
        const touched = taken === null ? touchedBy(files) : taken.touched;
        runQuietly({ ...watchCycle(files), early: taken, touched });
        if (taken?.only != null || touched !== null) deferredScan.schedule();
      }
      // By then, newer sources are loading in their place.
      loads?.settle(scans(async () => undefined));
    },
    onState: ({ mode, reason }) => {
      if (reason === null) options.log('info', `file watching works again (${mode})`);
      else
        options.log('warn', mode === 'blind' ? 'file changes may be missed' : 'polling the extensions folder every second', {
          reason,
        });
      options.publish('snapshot.changed', { snapshot_version: options.registry.current().version });
    },
  });

  const progress = createStartProgress(
    () => options.publish('snapshot.changed', { snapshot_version: options.registry.current().version }),
    (text, { loaded, total }) => options.log('info', text, { loaded, total }),
  );
  let scanMs = 0;
  let scannedAt = 0;
  const deferredScan = createDeferredScan(stepsOfScan, scanStep);
  const folder = createFolderWatch({
    looksAgain: options.watch !== 'off',
    log: options.log,
    look: () => runQuietly(watchCycle([])),
    onBack: () => void watcher.watchAnew(),
  });

  const links =
    options.watch !== 'native'
      ? null
      : createLinkWatch({
          root: options.extensionsDir,
          paths: followedFiles,
          onMoved: (paths) => {
            void watcher.watchAnew();
            if (!isStarting) runQuietly(watchCycle(paths));
          },
        });

  function runQuietly(cycle: Cycle): void {
    runCycle(cycle).catch((error: unknown) => {
      if (!closed)
        options.log('error', 'could not load a change; retrying', {
          error: error instanceof Error ? error.message : String(error),
        });
    });
  }

  /** Processes start and import while the watcher still waits for the save to finish; only the commit waits for its end. */
  function loadAhead(built: EarlyBuild, files: readonly string[]): void {
    const isLoading = [...(built.only?.keys() ?? [])].some((id) => state.slots.get(id)?.loading !== null);
    if (ahead !== null || isLoading || closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    ahead = { early: built, settle: resolve };
    runQuietly({ ...watchCycle(files), early: built, settled: promise, touched: built.touched });
  }

  function watchCycle(files: readonly string[]): Cycle {
    return {
      cause: { kind: 'watch', actor: null, files: files.map((file) => relativeFile(options.extensionsDir, file)) },
      ids: null,
      retriesFailed: false,
      isStart: false,
    };
  }

  /** The steps of a complete scan, so that a save waits for at most one of them. */
  async function stepsOfScan(): Promise<readonly ReadonlySet<string>[]> {
    const names = await readdir(options.extensionsDir).catch(() => []);
    const count = Math.max(1, Math.ceil(names.length / STEP_MOST));
    return Array.from({ length: count }, (_, at) => new Set(names.slice(at * STEP_MOST, (at + 1) * STEP_MOST)));
  }

  async function scanStep(touched: ReadonlySet<string>): Promise<void> {
    runQuietly({ ...watchCycle([]), touched });
    await scans(async () => undefined);
  }

  /** Scans again after `ms`, or when an earlier scan is due anyway. */
  function scanAgain(ms: number, files: readonly string[]): void {
    if (closed) return;
    const timer = setTimeout(() => {
      looks.delete(timer);
      runQuietly({ ...watchCycle([]), cause: { kind: 'watch', actor: null, files: [...files] } });
    }, ms);
    looks.add(timer);
  }

  async function runCycle(cycle: Cycle): Promise<readonly string[]> {
    const beganAt = performance.now();
    const begun = await scans(async () => {
      await cycle.write?.();
      const scanBegan = performance.now();
      const found = await beginLoads(cycle);
      scannedAt = performance.now();
      if (cycle.touched == null && cycle.early == null) scanMs = scannedAt - scanBegan;
      return found;
    });
    const { loads, earlierLoads, vanished, standIns, files } = begun;
    if (cycle.isStart) progress.follow(loads);
    const isOfFiles = cycle.cause.kind === 'watch' || cycle.cause.kind === 'reload';
    const cause = isOfFiles && files.length > 0 ? { ...cycle.cause, files: [...files] } : cycle.cause;
    const context: CommitContext = { cause, beganAt, isPartial: false, onIncident: handleIncident };
    if (closed) return [];
    if (begun.folder !== undefined) folder.note(begun.folder);
    if (begun.mustScanAgain) scanAgain(VANISHED_MS + 2, cycle.cause.files);
    const changed = new Set<string>();
    const refusals: unknown[] = [];
    const attempt = async (work: () => Promise<readonly string[]>): Promise<void> => {
      try {
        for (const id of await commits(work)) changed.add(id);
        isUnpublished = false;
      } catch (error) {
        refusals.push(error);
        isUnpublished = true;
        scanAgain(STORAGE_RETRY_MS, cycle.cause.files);
      }
    };
    if (vanished.length > 0 || begun.hasMoved || isUnpublished || (cycle.isStart && loads.length === 0))
      await attempt(() => withdraw(state, vanished, { ...context, isPartial: cycle.isStart && loads.length > 0 }, standIns));
    let left = loads.length;
    let waiting: readonly FinishedLoad[] = [];
    await commitInGroups(loads, cycle.isStart ? START_TIMES : SAVE_TIMES, async (group) => {
      left -= group.length;
      const isPartial = cycle.isStart && left > 0;
      // An extension that has yet to load may release the name.
      const refused = isPartial ? withTakenNames(state, group) : [];
      const finished = isPartial ? group.filter((load) => !refused.includes(load)) : [...waiting, ...group];
      waiting = isPartial ? [...waiting, ...refused] : [];
      // They were aborted, so their failure does not concern the source.
      if (closed) return forget(finished);
      if (finished.length === 0) return;
      const ended = finished.filter(({ slot, generation }) => slot.generation === generation).map(({ slot }) => slot.loading);
      await attempt(async () => {
        try {
          return await commitLoads(state, finished, { ...context, isPartial });
        } catch (error) {
          forget(finished);
          throw error;
        }
      });
      const isDropped = finished.some(({ slot }) => slot.isUnstored && slot.loading === null);
      if (ended.some((loading) => loading?.isDirty === true) || (isDropped && refusals.length === 0)) scanAgain(0, cycle.cause.files);
    });
    if (earlierLoads.length > 0) {
      await Promise.all(earlierLoads);
      // They are done when their commit begins, because the caller waits for the result.
      await commits(async () => undefined);
    }
    if (loads.length > 0 || vanished.length > 0) {
      watcher.watchAlso(outsideFiles());
      links?.follow();
    }
    if (!closed) retries.look();
    if (changed.size > 0)
      for (const { slot, serving } of withChangedOwners(state))
        handleIncident(slot, serving.contentHash, { type: 'described', description: serving.running.description });
    const retried = extensionsToRetry(state.slots, changed);
    if (changed.size > 0 && retried.length > 0 && !closed && !cycle.retriesFailed) {
      for (const id of await runCycle({ ...cycle, ids: retried.map((slot) => slot.id), retriesFailed: true, early: null, write: null }))
        changed.add(id);
    }
    if (refusals.length > 0) throw refusals[0];
    return [...changed];
  }

  /** A loaded revision could not be stored: its process ends and the next scan starts again. */
  function forget(finished: readonly FinishedLoad[]): void {
    for (const { slot, generation, result } of finished) {
      if (result.kind === 'loaded') drain(state, result.running);
      slot.isUnstored = true;
      if (slot.generation !== generation) continue;
      slot.loading?.finish();
      slot.loading = null;
    }
  }

  function runningLoads(ids: readonly string[] | null): Promise<void>[] {
    return [...state.slots.values()].flatMap(({ id, loading }) => (loading === null || ids?.includes(id) === false ? [] : [loading.done]));
  }

  /** Resolves when earlier saves are serving or have failed. */
  async function runUntilLive(cycle: Cycle): Promise<readonly string[]> {
    // A load that began before the change may have read the old files, and a load by the watcher may replace this one.
    let mustScanAgain = runningLoads(cycle.ids).length > 0;
    const changed = new Set(await runCycle(cycle));
    for (let round = 0; round < LOOKS_MOST && !closed && (mustScanAgain || runningLoads(cycle.ids).length > 0); round += 1) {
      mustScanAgain = false;
      await Promise.all(runningLoads(cycle.ids));
      for (const id of await runCycle({ ...cycle, retriesFailed: false, write: null })) changed.add(id);
    }
    await commits(async () => undefined);
    return [...changed];
  }

  /** Events identify the changes only if they are known to arrive. */
  function touchedBy(files: readonly string[]): ReadonlySet<string> | null {
    return watcher.state().mode === 'native' ? touchedParts(options.extensionsDir, files) : null;
  }

  /** Keyed by the attempt, which is a new object after each load. */
  const followed = new WeakSet<Tried>();
  const reached = new WeakMap<Tried, { readonly files: readonly string[]; readonly outside: readonly string[] }>();

  function reachedBy(newest: Tried): { readonly files: readonly string[]; readonly outside: readonly string[] } {
    const files = [...newest.inputs.map((input) => input.path), ...newest.missing];
    const outside = files.filter((file) => path.relative(options.extensionsDir, file).startsWith('..'));
    const found = { files, outside };
    reached.set(newest, found);
    return found;
  }

  /** All files, and those not watched before. */
  function followedFiles(): { readonly all: readonly string[]; readonly fresh: readonly string[] } {
    const all: string[] = [];
    const fresh: string[] = [];
    for (const slot of state.slots.values()) {
      const { newest } = slot;
      const files = [mainFile(slot), ...(newest === null ? [] : (reached.get(newest) ?? reachedBy(newest)).files)];
      all.push(...files);
      if (newest === null || !followed.has(newest)) fresh.push(...files);
      if (newest !== null) followed.add(newest);
    }
    return { all, fresh };
  }

  function outsideFiles(): string[] {
    const outside = new Set<string>();
    for (const { newest } of state.slots.values())
      if (newest !== null) for (const file of (reached.get(newest) ?? reachedBy(newest)).outside) outside.add(file);
    return [...outside];
  }

  return {
    state,
    watcher,
    progress: progress.current,
    folderProblem: () => folder.current(),
    async start() {
      await runCycle({ cause: { kind: 'start', actor: null, files: [] }, ids: null, retriesFailed: true, isStart: true });
      isStarting = false;
      if (options.watch === 'off') return;
      scanAgain(0, []);
      watcher.settled.then(
        () => {
          scanAgain(0, []);
          prepareSchemaChecks();
        },
        (error: unknown) => options.log('warn', 'watching could not be tested', { error: String(error) }),
      );
    },
    reload: (ids, cause, buildsAgain) => runUntilLive({ cause, ids, retriesFailed: true, isStart: false, buildsAgain }),
    async save(write, cause) {
      let written: Result<null> = ok(null);
      const changed = await runUntilLive({
        cause,
        ids: null,
        retriesFailed: false,
        isStart: false,
        write: async () => {
          written = await write();
        },
      });
      return written.ok ? ok(changed) : written;
    },
    learn(ids) {
      const unknown = ids.filter((id) => {
        const { owned = null, newest = null } = state.slots.get(id) ?? {};
        return owned === null && newest?.failure != null && options.peers.isFromOthers(newest.inputs.map((input) => input.path));
      });
      if (unknown.length > 0)
        runQuietly({ cause: { kind: 'recovery', actor: null, files: [] }, ids: unknown, retriesFailed: true, isStart: false });
    },
    change: (id, cause, work, { loadFollows = false, onCommitted } = {}) =>
      commits(() => {
        const context: CommitContext = {
          cause,
          beganAt: performance.now(),
          isPartial: loadFollows,
          onIncident: handleIncident,
        };
        return changeSlot(state, id, context, work, onCommitted);
      }),
    async close() {
      closed = true;
      ahead?.settle();
      for (const timer of looks) clearTimeout(timer);
      folder.close();
      progress.close();
      deferredScan.close();
      retries.close();
      links?.close();
      await watcher.close();
      for (const slot of state.slots.values()) {
        slot.loading?.controller.abort();
        if (slot.serving !== null) drain(state, slot.serving.running);
      }
      await Promise.all(state.draining);
      await Promise.all(options.runtimes.map((runtime) => runtime.close()));
      // Last: it ends the bundler's process, which a runtime may still use to build its own program.
      await options.builder.close();
    },
  };
}
