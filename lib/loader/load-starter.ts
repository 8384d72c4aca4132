import { realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Incident, RawFailure, Runtime } from '#lib/runtime/runtime.ts';
import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import type { BuildOutcome, Candidate } from './build.ts';
import type { FinishedLoad } from './commit.ts';
import { scanIdentity } from './commit.ts';
import { describerOf } from './describe-extension.ts';
import {
  createSlot,
  type Loading,
  type Located,
  ownedTools,
  pathOf,
  readStoredSlot,
  showLeftOut,
  type Slot,
  type StoredSlot,
  type Tried,
} from './extension-slot.ts';
import { relativeFile } from './failure-occurrence.ts';
import { foldersFor } from './early-build.ts';
import type { EarlyBuild } from './early-build.ts';
import { changedInputs, existing, NOTHING_LOADED } from './loaded-files.ts';
import { compareCodePoints } from '#lib/registry/snapshot.ts';
import { createLimiter } from './load-batch.ts';
import { FOLDERS_AT_ONCE } from './scanner.ts';
import { createLoadCheck, type LoaderState, runtimeFor } from './loader-state.ts';
import { createLoadQueue, inUseFirst } from './load-queue.ts';
import { loadCandidate, loadWhenPossible, traceLoad, unwritable } from './load-candidate.ts';
import type { LoadResult } from './load-candidate.ts';
import type { FolderProblem, Scan } from './scan.ts';
import { partOf, topOf } from './scan.ts';

/** One scan of the folder and the loads it starts. */
export interface Cycle {
  readonly cause: SnapshotCause;
  /** Null: all. */
  readonly ids: readonly string[] | null;
  /** Whether failed sources are retried although nothing changed. */
  readonly retriesFailed: boolean;
  /** Whether healthy sources are built again, because their environment may have changed. */
  readonly buildsAgain?: boolean | undefined;
  /** The first load: descriptions stored by the last run may be trusted. */
  readonly isStart: boolean;
  /** Scanned while the save settled; no events since. */
  readonly early?: EarlyBuild | null;
  /** Resolves when the loaded save has settled; until then nothing is checked or committed. */
  readonly settled?: Promise<void>;
  /** Only these parts of the folder may have changed; absent or null: any. */
  readonly touched?: ReadonlySet<string> | null;
  /** Writes the files of a save by a person, just before the scan. */
  readonly write?: (() => Promise<void>) | null;
}

export interface BegunLoads {
  readonly loads: readonly Promise<FinishedLoad>[];
  /** Loads of an earlier cycle that this one depends on. */
  readonly earlierLoads: readonly Promise<void>[];
  /** Whether an entry was listed without a load. */
  readonly hasMoved: boolean;
  /** Slots whose files are missing; they will be withdrawn. */
  readonly vanished: readonly Slot[];
  /** Entries shown in place of some of these, by id. */
  readonly standIns: ReadonlyMap<string, Slot>;
  /** An entry vanished a moment ago: scan again soon. */
  readonly mustScanAgain: boolean;
  /** Changed, new and removed files; relative to the extensions folder. */
  readonly files: readonly string[];
  /**
   * The problem with the folder itself; while it cannot be read, nothing is loaded or withdrawn. Omitted: it was not
   * scanned.
   */
  readonly folder?: FolderProblem | null;
}

const NOTHING: BegunLoads = {
  loads: [],
  earlierLoads: [],
  hasMoved: false,
  vanished: [],
  standIns: new Map(),
  mustScanAgain: false,
  files: [],
};

interface RankedCycle extends Cycle {
  readonly rank: number;
}

interface OwnedNames {
  areTaken(slot: Slot): boolean;
  add(slot: Slot): void;
}

/** A candidate of this cycle; `moved` when its entry is a different file than before. */
interface Due {
  readonly slot: Slot;
  readonly candidate: Candidate;
  readonly moved: boolean;
}

const LOADS_AT_ONCE = 16;
/** A load that takes longer releases its slot for the next one. */
const SLOW_MS = 1_000;
/** A save may remove a file for a moment; it is withdrawn when a scan this much later does not find it either. */
export const VANISHED_MS = 40;

/** Decides by a scan which ids need a load, and starts these loads. */
export function createLoadStarter(
  state: LoaderState,
  onIncident: (slot: Slot, contentHash: string, incident: Incident) => void,
  /** A file changed before a load knew its inputs. */
  onDirty: () => void,
): (cycle: Cycle) => Promise<BegunLoads> {
  const { options } = state;
  const queue = createLoadQueue({ places: availableParallelism(), most: LOADS_AT_ONCE, slowMs: SLOW_MS });
  /** Unresponsive servers must not delay other loads. */
  const limitServers = createLimiter(LOADS_AT_ONCE);
  const limitChecks = createLimiter(FOLDERS_AT_ONCE);
  const checkLoad = createLoadCheck(options);
  let newestRank = 0;
  const partsReached = new WeakMap<Tried, readonly (string | null)[]>();

  return async (asked) => {
    // The latest save is loaded first; the loads of the start run after those of every save.
    const cycle: RankedCycle = { ...asked, rank: asked.isStart ? 0 : (newestRank += 1) };
    if (cycle.early?.only != null)
      return { ...NOTHING, ...(await beginDueLoads(knownDue([...cycle.early.only.keys()]), cycle, new Set())) };
    const touched = cycle.touched ?? null;
    const scan = await (cycle.early?.scan() ?? state.scanner.scan(touched));
    if (scan.folder?.kind === 'unreadable') return { ...NOTHING, folder: scan.folder };
    const hasNew = scan.candidates.some(({ id }) => isUnseen(id));
    const storedOf = await readStored(scan);
    const { vanished, ...found } = findVanished(scan, cycle);
    if (touched === null || hasNew || vanished.length > 0)
      for (const runtime of options.runtimes) runtime.prepare(foldersFor(runtime, scan));
    let { mustScanAgain } = found;
    const { standIns, ...shown } = showLeftOut(state, scan.leftOut, storedOf);
    let { hasMoved } = shown;
    const due: Due[] = [];
    const named = createOwnedNames();
    for (const candidate of scan.candidates) {
      const isNew = isUnseen(candidate.id);
      const slot = slotFor(candidate, storedOf, named);
      const moved = slot.candidate !== null && slot.candidate.entryFile !== candidate.entryFile;
      slot.candidate = candidate;
      if (slot.isExcluded || slot.disabled) hasMoved ||= isNew;
      else if (cycle.ids === null || cycle.ids.includes(slot.id)) due.push({ slot, candidate, moved });
    }
    const { loads, earlierLoads, files } = await beginDueLoads(
      due,
      cycle,
      new Set(vanished.map((slot) => pathOf(slot, options.extensionsDir))),
    );
    const begun = [...loads];
    const gone: string[] = [];
    const namedSince = createOwnedNames();
    for (const failed of scan.failed) {
      const before = state.slots.get(failed.id);
      if (failed.failure.code === 'entry_missing' && before !== undefined && before.serving !== null) {
        if (isInGracePeriod(before, cycle)) {
          mustScanAgain = true;
          continue;
        }
        gone.push(pathOf(before, options.extensionsDir));
      }
      const isNew = isUnseen(failed.id);
      const slot = slotFor(failed, storedOf, namedSince);
      if (slot.isExcluded || slot.disabled) {
        hasMoved ||= isNew;
        continue;
      }
      const load = failByScan(slot, failed.failure, cycle);
      if (load !== null) begun.push(Promise.resolve(load));
    }
    return {
      loads: begun,
      earlierLoads,
      hasMoved,
      vanished,
      standIns,
      mustScanAgain,
      files: [...files, ...gone].sort(),
      folder: scan.folder,
    };
  };

  function knownDue(ids: readonly string[]): readonly Due[] {
    return ids.flatMap((id) => {
      const slot = state.slots.get(id);
      return slot?.candidate == null || slot.isExcluded || slot.disabled ? [] : [{ slot, candidate: slot.candidate, moved: false }];
    });
  }

  /** @param files receives the changed files; relative */
  async function beginDueLoads(
    due: readonly Due[],
    cycle: RankedCycle,
    files: Set<string>,
  ): Promise<Pick<BegunLoads, 'loads' | 'earlierLoads' | 'files'>> {
    const loads: Promise<FinishedLoad>[] = [];
    const earlierLoads: Promise<void>[] = [];
    // All together, so that a save that affects several extensions is one commit.
    const found = await Promise.all(due.map(({ slot }) => limitChecks(() => changedFiles(slot, cycle))));
    const starting: Due[] = [];
    for (const [index, one] of due.entries()) {
      const { slot, candidate, moved } = one;
      const isFirst = slot.newest === null && slot.loading === null;
      const changed = isFirst ? [candidate.entryFile] : (found[index] ?? []);
      for (const file of changed) files.add(relativeFile(options.extensionsDir, file));
      if (moved || changed.length > 0 || mustRetry(slot, cycle)) starting.push(one);
      else if (slot.loading !== null) earlierLoads.push(slot.loading.done);
    }
    // A start commits in this order: among new extensions, the first id owns a name.
    starting.sort((one, other) => compareCodePoints(one.slot.id, other.slot.id));
    for (const { slot, candidate } of inUseFirst(starting, ({ slot: { serving } }) => serving?.running ?? null))
      loads.push(beginLoad(slot, candidate, runtimeFor(state, candidate), cycle));
    return { loads, earlierLoads, files: [...files].sort() };
  }

  /** Prepares all new slots: from here on, slots are created synchronously. */
  async function readStored({ candidates, failed, leftOut }: Scan): Promise<(id: string) => StoredSlot> {
    const stored = new Map<string, StoredSlot>();
    const isShown = ({ id }: { readonly id: string }): boolean => state.slots.get(id)?.isLeftOut === true;
    const missing = (): readonly string[] =>
      [...[...candidates, ...failed].filter(({ id }) => isUnseen(id)), ...leftOut.filter((one) => !isShown(one))]
        .map(({ id }) => id)
        .filter((id) => !stored.has(id));
    for (let read = missing(); read.length > 0; read = missing())
      for (const [index, slot] of (await Promise.all(read.map((id) => readStoredSlot(options.store, id)))).entries())
        stored.set(read[index] ?? '', slot);
    return (id) => {
      const slot = stored.get(id);
      if (slot === undefined) throw new Error(`The stored state of ${id} was not read, which must not happen.`);
      return slot;
    };
  }

  function isUnseen(id: string): boolean {
    return state.slots.get(id)?.isLeftOut !== false;
  }

  function slotFor(found: Located, storedOf: (id: string) => StoredSlot, names: OwnedNames): Slot {
    const { id, kind, runtime, folder, entryFile } = found;
    const known = isUnseen(id) ? undefined : state.slots.get(id);
    const hasMoved = known?.kind !== kind || known.runtime !== runtime || known.folder !== folder || known.entryFile !== entryFile;
    const slot =
      known === undefined ? createSlot(found, storedOf(id), options) : Object.assign(known, { kind, runtime, folder, entryFile });
    if (hasMoved) state.unpublished.add(slot);
    slot.vanishedAt = null;
    if (known === undefined) {
      if (slot.owned !== null && names.areTaken(slot)) slot.owned = null;
      state.slots.set(id, slot);
      names.add(slot);
    }
    return slot;
  }

  /** Tool names of all slots, collected once for the new slots of a scan: one may return after another extension took its names. */
  function createOwnedNames(): OwnedNames {
    const namesOf = (slot: Slot): readonly string[] => ownedTools(slot, options.excludedTools).map((tool) => tool.name);
    let owned: Set<string> | null = null;
    return {
      areTaken(slot) {
        owned ??= new Set([...state.slots.values()].flatMap(namesOf));
        return namesOf(slot).some((name) => owned?.has(name) === true);
      },
      add(slot) {
        for (const name of namesOf(slot)) owned?.add(name);
      },
    };
  }

  /** Inputs of the newest attempt that have changed, and missing ones that exist now. */
  async function changedFiles(slot: Slot, { early, touched, write, cause }: Cycle): Promise<readonly string[]> {
    // A running load may read them too, but for another cause.
    const written = slot.loading === null || write == null ? [] : writtenFiles(slot, cause);
    if (written.length > 0) return written;
    if (slot.loading !== null && slot.loading.inputs === null) {
      slot.loading.isDirty = slot.loading.hasBegun;
      return [];
    }
    const saved = slot.loading === null ? early?.only?.get(slot.id) : undefined;
    // The build shows whether their source changed.
    if (saved !== undefined) return saved;
    if (touched != null && slot.loading === null && slot.newest !== null && !isTouched(slot.newest, touched)) return [];
    const inputs = slot.loading?.inputs ?? slot.newest?.inputs ?? [];
    const missing = slot.loading === null ? (slot.newest?.missing ?? []) : [];
    return [...(await changedInputs(inputs, early?.factsOf)), ...(await existing(missing, early?.factsOf))];
  }

  function writtenFiles(slot: Slot, { files }: SnapshotCause): readonly string[] {
    const inputs = new Set([...(slot.newest?.inputs ?? []), ...(slot.loading?.inputs ?? [])].map((input) => input.path));
    return files
      .map((file) => path.join(options.extensionsDir, file))
      .filter((file) => inputs.has(file) || file === slot.candidate?.entryFile);
  }

  function isTouched(newest: Tried, touched: ReadonlySet<string>): boolean {
    const parts = partsReached.get(newest) ?? reachedParts(newest);
    partsReached.set(newest, parts);
    // A file outside the folder belongs to no part; its events cause a scan of everything.
    return parts.some((part) => part !== null && (touched.has(part) || touched.has(topOf(part))));
  }

  function reachedParts({ inputs, missing }: Tried): readonly (string | null)[] {
    return [...new Set([...inputs.map((input) => input.path), ...missing].map((file) => partOf(options.extensionsDir, file)))];
  }

  function mustRetry(slot: Slot, cycle: Cycle): boolean {
    if (slot.loading !== null || slot.newest === null) return false;
    const { failure, scanFailure, inputs } = slot.newest;
    if (slot.isUnstored || slot.isOutdated || scanFailure !== null || (inputs.length === 0 && failure === null)) return true;
    return cycle.retriesFailed && (failure !== null || slot.breakdown !== null || cycle.buildsAgain === true);
  }

  async function beginLoad(slot: Slot, candidate: Candidate, runtime: Runtime, cycle: RankedCycle): Promise<FinishedLoad> {
    const isRetry = cycle.retriesFailed && (slot.newest?.failure != null || slot.breakdown !== null);
    slot.loading?.controller.abort();
    slot.loading?.finish();
    const loading = createLoading();
    const realEntry = realPlace(candidate.entryFile);
    const isElsewhere = slot.realEntry !== null && slot.realEntry !== realEntry;
    const { isOutdated } = slot;
    const knownHash =
      isElsewhere || isRetry || isOutdated || slot.isUnstored || slot.newest?.scanFailure != null
        ? null
        : (slot.newest?.contentHash ?? null);
    slot.loading = loading;
    slot.isUnstored = false;
    slot.isOutdated = false;
    slot.generation += 1;
    const { generation } = slot;
    let contentHash = '';
    let isHeld = false;
    const load = (): Promise<LoadResult> =>
      loadWhenPossible(loadOnce, { runtime, signal: loading.controller.signal }, ({ message }) =>
        options.log('warn', `the load waits: ${message}`, { extension: slot.id }),
      );
    const loadOnce = (isRepeated: boolean): Promise<LoadResult> => {
      loading.hasBegun = true;
      return traceLoad(options.tracer, candidate, cycle.cause.kind, (steps) =>
        loadCandidate(
          {
            steps,
            extensionsDir: options.extensionsDir,
            builder: options.builder,
            store: options.store,
            describe: describerOf(candidate),
            packagesOf: options.packagesOf,
            hasSecrets: options.hasSecrets,
          },
          {
            candidate,
            runtime,
            knownHash,
            loaded: slot.newest?.loaded ?? NOTHING_LOADED,
            servingHash:
              !isElsewhere && !isOutdated && slot.breakdown === null && slot.pinnedRevision === null
                ? (slot.serving?.contentHash ?? null)
                : null,
            mayRevive: cycle.isStart,
            early: isRepeated ? null : (cycle.early ?? null),
            signal: loading.controller.signal,
            onBuilt: (built) => {
              loading.inputs = built.inputs;
              if (loading.isDirty) void recheckInputs(built);
              loading.isDirty = false;
            },
            onSecrets: (names) => {
              if (slot.generation === generation) slot.secrets = names;
            },
            onIncident: (incident) => {
              if (!isHeld) onIncident(slot, contentHash, incident);
            },
          },
        ).catch((error: unknown) => unwritable(candidate, error)),
      );
    };
    const result = await (candidate.runtime === 'mcp' ? limitServers(load) : queue(cycle.rank, load));
    await cycle.settled;
    if (result.kind === 'loaded') {
      contentHash = result.contentHash;
      if (slot.generation === generation) slot.realEntry = realEntry;
    }
    // Incidents while its checks run are reported by the checks; it is not the serving revision yet.
    isHeld = true;
    const held = checkLoad(slot, result, loading.controller.signal);
    const refusal = held === null ? null : await held;
    isHeld = false;
    return { slot, generation, result, refusal };
  }

  /** Files may have changed while they were read. Later events are compared with the inputs. */
  async function recheckInputs({ inputs, missing }: Pick<BuildOutcome, 'inputs' | 'missing'>): Promise<void> {
    const [changed, appeared] = await Promise.all([changedInputs(inputs), existing(missing)]);
    if (changed.length > 0 || appeared.length > 0) onDirty();
  }

  function failByScan(slot: Slot, failure: RawFailure, cycle: Cycle): FinishedLoad | null {
    const isAsked = cycle.retriesFailed && (cycle.ids === null || cycle.ids.includes(slot.id));
    if (slot.newest?.scanFailure === scanIdentity(failure) && !isAsked) return null;
    slot.loading?.controller.abort();
    slot.loading?.finish();
    slot.loading = null;
    slot.generation += 1;
    return {
      slot,
      generation: slot.generation,
      result: { kind: 'failed', contentHash: null, failure, build: null, inputs: [], missing: [], sources: {}, loaded: NOTHING_LOADED },
      refusal: null,
    };
  }

  /** A save may remove a file for a moment: a file that existed recently is not withdrawn before that time. */
  function isInGracePeriod(slot: Slot, cycle: Cycle): boolean {
    slot.vanishedAt ??= performance.now();
    return cycle.cause.kind === 'watch' && performance.now() - slot.vanishedAt < VANISHED_MS;
  }

  function findVanished(scan: Scan, cycle: Cycle): { vanished: Slot[]; mustScanAgain: boolean } {
    const present = new Set([...scan.candidates.map((candidate) => candidate.id), ...scan.failed.map((failed) => failed.id)]);
    const leftOut = new Set(scan.leftOut.map((candidate) => candidate.id));
    const unknown = options.keepLastGood ? scan.failed.find(({ isList }) => isList) : undefined;
    let mustScanAgain = false;
    const vanished: Slot[] = [];
    for (const slot of [...state.slots.values()].filter((item) => !present.has(item.id))) {
      if (unknown !== undefined && slot.entryFile === unknown.entryFile) {
        slot.vanishedAt = null;
        continue;
      }
      if (leftOut.has(slot.id) && slot.isLeftOut) continue;
      if (isInGracePeriod(slot, cycle) && !leftOut.has(slot.id)) {
        mustScanAgain = true;
        continue;
      }
      slot.loading?.controller.abort();
      slot.loading?.finish();
      slot.loading = null;
      slot.generation += 1;
      vanished.push(slot);
    }
    return { vanished, mustScanAgain };
  }
}

function realPlace(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}

function createLoading(): Loading {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { controller: new AbortController(), hasBegun: false, inputs: null, isDirty: false, done: promise, finish: resolve };
}
