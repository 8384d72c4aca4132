import type { Artifact, Runtime } from '#lib/runtime/runtime.ts';
import type { Builder, BuildInput, BuildOutcome, Candidate } from './build.ts';
import type { Served, Slot } from './extension-slot.ts';
import { changedInputs, existing, readFileFacts } from './loaded-files.ts';
import type { Scan } from './scan.ts';
import type { Scanner } from './scanner.ts';

/**
 * Scans the folder and starts builds while the watcher still waits for a save to finish. It reads, builds and lets the
 * runtime prewarm a process; it imports, stores and changes nothing, and an unused result is dropped.
 * What can go wrong:
 * - the save continues: the watcher uses a result only if no event arrived since it began;
 * - a file changes without an event: a build counts only while each input is unchanged and each missing file still
 *   missing;
 * - another scan begins before this one is used, for files written after this one read them: the scan is repeated;
 * - a build fails for a reason other than its sources: the load builds again;
 * - many files at once: only the first few extensions are built ahead.
 */
export interface EarlyBuild {
  /**
   * The only affected extensions, when all events are saves of their known input files. They are loaded without a scan
   * of the folder, which would delay their builds; the scan follows once they serve. By id, with the saved files of
   * each. Null: anything may have changed.
   */
  readonly only: ReadonlyMap<string, readonly string[]> | null;
  /** The parts of the folder that the events concern; null: any. */
  readonly touched: ReadonlySet<string> | null;
  /** Of these parts. Started immediately, or, with `only`, on the first request. */
  scan(): Promise<Scan>;
  /** Their metadata at the time of the scan. */
  factsOf(file: string): Promise<BuildInput | null>;
  /** Resolves when all of `only` are built: whether each has new source, so that their loads may begin. */
  readonly haveNewSource: Promise<boolean>;
  /** Null when nothing was built ahead, or when the files have changed since. */
  built(candidate: Candidate): Promise<BuildOutcome | null>;
}

const BUILT_MOST = 4;

/** The parts of the loader's state that it reads. */
export interface EarlyBuildState {
  readonly scanner: Scanner;
  readonly options: {
    readonly builder: Builder;
    readonly runtimes: readonly Pick<Runtime, 'kind' | 'prepare' | 'expect'>[];
  };
  readonly slots: ReadonlyMap<
    string,
    Pick<Slot, 'candidate' | 'newest' | 'isExcluded' | 'disabled'> & { readonly serving: Pick<Served, 'contentHash'> | null }
  >;
}

interface Ahead {
  readonly candidate: Candidate;
  readonly outcome: Promise<BuildOutcome | null>;
}

/**
 * @param files reported as changed; absolute
 * @param areSaves each of them existed before and still exists
 * @param touched their parts of the folder, if no others can have changed
 */
export function createEarlyBuild(
  state: EarlyBuildState,
  files: readonly string[],
  areSaves: boolean,
  touched: ReadonlySet<string> | null = null,
): EarlyBuild {
  const { builder, runtimes } = state.options;
  const ahead = new Map<string, Ahead>();
  const facts = new Map<string, Promise<BuildInput | null>>();

  function build(candidate: Candidate): void {
    if (candidate.runtime === 'mcp' || ahead.has(candidate.id) || ahead.size >= BUILT_MOST) return;
    // Almost every save changes the source; for other events, the build shows whether it changed.
    if (areSaves) expectSoon(candidate);
    ahead.set(candidate.id, { candidate, outcome: attempt(candidate) });
  }

  async function attempt(candidate: Candidate): Promise<BuildOutcome | null> {
    try {
      const outcome = await builder.build(candidate);
      if (!areSaves && outcome.ok && isNewSource(outcome.artifact)) expectSoon(candidate);
      return outcome;
    } catch {
      return null;
    }
  }

  function expectSoon({ id, runtime, folder }: Candidate): void {
    runtimes.find(({ kind }) => kind === runtime)?.expect?.({ extension: id, folder });
  }

  /** Neither the last tried source nor the serving one, so it will be loaded. */
  function isNewSource({ extension, contentHash }: Artifact): boolean {
    const slot = state.slots.get(extension);
    return slot !== undefined && slot.newest?.contentHash !== contentHash && slot.serving?.contentHash !== contentHash;
  }

  const reported = new Set(files);
  /** The reported files that are inputs of a build, and whether every affected extension is built ahead. */
  const known = new Set<string>();
  const saved = new Map<string, readonly string[]>();
  let areAllAhead = true;
  for (const { candidate, newest, isExcluded, disabled } of state.slots.values()) {
    const inputs = (newest?.inputs ?? []).map((input) => input.path).filter((file) => reported.has(file));
    for (const file of inputs) known.add(file);
    const isReported = inputs.length > 0 || (candidate !== null && reported.has(candidate.entryFile));
    if (isReported && candidate !== null && !isExcluded && !disabled) build(candidate);
    const isAhead = candidate !== null && ahead.has(candidate.id);
    if (isAhead) saved.set(candidate.id, inputs);
    areAllAhead &&= isAhead || !isReported;
  }
  const only = areSaves && areAllAhead && known.size === reported.size && saved.size > 0 ? saved : null;
  const outcomes = Promise.all([...ahead.values()].map(({ outcome }) => outcome));
  const haveNewSource = outcomes.then(
    (all) => only !== null && all.every((outcome) => outcome?.ok === true && isNewSource(outcome.artifact)),
  );

  let begun = 0;
  const isNewest = (): boolean => begun === state.scanner.begun();

  async function look(): Promise<Scan> {
    const scanning = state.scanner.scan(touched);
    begun = state.scanner.begun();
    const scan = await scanning;
    const fresh = scan.candidates.filter(({ id, entryFile }) => !state.slots.has(id) && reported.has(entryFile));
    // Starting a process takes longer than everything else.
    for (const runtime of fresh.length === 0 ? [] : runtimes) runtime.prepare(foldersFor(runtime, scan));
    for (const candidate of fresh) build(candidate);
    const standOn = [...state.slots.values()].flatMap(({ newest }) => [
      ...(newest?.inputs.map((input) => input.path) ?? []),
      ...(newest?.missing ?? []),
    ]);
    for (const file of touched === null ? standOn : files) facts.set(file, readFileFacts(file));
    await Promise.all(facts.values());
    return scan;
  }

  let scan: Promise<Scan> | null = null;

  function taken(): Promise<Scan> {
    if (scan !== null && !isNewest()) return state.scanner.scan(touched);
    scan ??= look();
    // The caller that uses the build gets the error; otherwise the next scan fails the same way.
    scan.catch(() => undefined);
    return scan;
  }
  if (only === null) void taken();

  return {
    only,
    touched,
    scan: taken,
    haveNewSource,
    factsOf: (file) => (isNewest() ? facts.get(file) : undefined) ?? readFileFacts(file),
    async built(candidate) {
      const found = ahead.get(candidate.id);
      ahead.delete(candidate.id);
      if (found === undefined || found.candidate.entryFile !== candidate.entryFile) return null;
      const outcome = await found.outcome;
      if (outcome === null || outcome.inputs.length === 0) return null;
      const [changed, appeared] = await Promise.all([changedInputs(outcome.inputs), existing(outcome.missing)]);
      return changed.length === 0 && appeared.length === 0 ? outcome : null;
    },
  };
}

/** The folder with the extensions of this runtime. */
export function foldersFor({ kind }: Pick<Runtime, 'kind'>, { candidates }: Scan): readonly string[] {
  return candidates.filter(({ runtime }) => runtime === kind).map(({ folder }) => folder);
}
