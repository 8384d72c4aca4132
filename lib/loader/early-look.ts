import type { Artifact, Runtime } from '#lib/runtime/runtime.ts';
import type { Builder, BuildInput, BuildOutcome, Candidate } from './build.ts';
import type { Served, Slot } from './extension-slot.ts';
import { changedInputs, existing, readFileFacts } from './file-facts.ts';
import type { Scan } from './scan.ts';
import { scanExtensions } from './scanner.ts';

/**
 * A look at the folder taken while the watcher still waits whether a save goes on, and the builds that will be wanted if it does
 * not. It reads, builds and lets the runtime prepare a process: nothing is imported, stored or changed by it, and whoever gets no
 * use of it looks anew.
 * What goes wrong: the save goes on (the watcher hands a look on only when nothing was told since it began); a file changes without
 * being told of (a build counts only while each file is as it was when it was read, and each missing one still missing); a build
 * fails for another reason than its sources (it is made again by whoever wants it); many files at once (only the first few
 * extensions are built ahead).
 */
export interface EarlyLook {
  /**
   * The extensions that alone are concerned, where nothing was told of but saves of files that they were built from: they are loaded
   * without the folder being looked at, which would hold their builds up, and the look follows when they are live. Null: anything may
   * have changed. By id, with the files of each that were saved.
   */
  readonly only: ReadonlyMap<string, readonly string[]> | null;
  /** Taken at once, or, with `only`, when it is first asked for. */
  scan(): Promise<Scan>;
  /** As they were found when the folder was looked at. */
  factsOf(file: string): Promise<BuildInput | null>;
  /** Null when nothing was built ahead, or when it is not what the files are now. */
  built(candidate: Candidate): Promise<BuildOutcome | null>;
}

const BUILT_MOST = 4;

/** What it needs of the loader's state. */
export interface LookedAt {
  readonly options: {
    readonly extensionsDir: string;
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
 * @param files that are said to have changed; absolute
 * @param areSaves each of them was there before and is still there
 */
export function createEarlyLook(state: LookedAt, files: readonly string[], areSaves: boolean): EarlyLook {
  const { builder, extensionsDir, runtimes } = state.options;
  const ahead = new Map<string, Ahead>();
  const facts = new Map<string, Promise<BuildInput | null>>();

  function build(candidate: Candidate): void {
    if (candidate.runtime === 'mcp' || ahead.has(candidate.id) || ahead.size >= BUILT_MOST) return;
    ahead.set(candidate.id, { candidate, outcome: attempt(candidate) });
  }

  async function attempt(candidate: Candidate): Promise<BuildOutcome | null> {
    try {
      const outcome = await builder.build(candidate);
      if (outcome.ok && isNews(outcome.artifact)) expectSoon(candidate);
      return outcome;
    } catch {
      return null;
    }
  }

  function expectSoon({ id, runtime, folder }: Candidate): void {
    runtimes.find(({ kind }) => kind === runtime)?.expect?.({ extension: id, folder });
  }

  /** Neither what was tried last nor what serves, so it will be loaded. */
  function isNews({ extension, contentHash }: Artifact): boolean {
    const slot = state.slots.get(extension);
    return slot !== undefined && slot.newest?.contentHash !== contentHash && slot.serving?.contentHash !== contentHash;
  }

  const told = new Set(files);
  /** Of `told`, what went into a build; and whether each extension that it went into is built ahead. */
  const known = new Set<string>();
  const saved = new Map<string, readonly string[]>();
  let areAllAhead = true;
  for (const { candidate, newest, isExcluded, disabled } of state.slots.values()) {
    const inputs = (newest?.inputs ?? []).map((input) => input.path).filter((file) => told.has(file));
    for (const file of inputs) known.add(file);
    const isTold = inputs.length > 0 || (candidate !== null && told.has(candidate.entryFile));
    if (isTold && candidate !== null && !isExcluded && !disabled) build(candidate);
    const isAhead = candidate !== null && ahead.has(candidate.id);
    if (isAhead) saved.set(candidate.id, inputs);
    areAllAhead &&= isAhead || !isTold;
  }
  const only = areSaves && areAllAhead && known.size === told.size && saved.size > 0 ? saved : null;

  async function look(): Promise<Scan> {
    const scan = await scanExtensions(extensionsDir);
    const fresh = scan.candidates.filter(({ id, entryFile }) => !state.slots.has(id) && told.has(entryFile));
    // Its process has to be started, which takes longer than all else.
    for (const runtime of fresh.length === 0 ? [] : runtimes) runtime.prepare(foldersFor(runtime, scan));
    for (const candidate of fresh) build(candidate);
    const standOn = [...state.slots.values()].flatMap(({ newest }) => [
      ...(newest?.inputs.map((input) => input.path) ?? []),
      ...(newest?.missing ?? []),
    ]);
    for (const file of standOn) if (!facts.has(file)) facts.set(file, readFileFacts(file));
    await Promise.all(facts.values());
    return scan;
  }

  let scan: Promise<Scan> | null = null;
  function taken(): Promise<Scan> {
    scan ??= look();
    // Whoever asks for it meets the refusal; when nobody does, the next look meets it.
    scan.catch(() => undefined);
    return scan;
  }
  if (only === null) void taken();

  return {
    only,
    scan: taken,
    factsOf: (file) => facts.get(file) ?? readFileFacts(file),
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

/** Where the extensions of this runtime lie. */
export function foldersFor({ kind }: Pick<Runtime, 'kind'>, { candidates }: Scan): readonly string[] {
  return candidates.filter(({ runtime }) => runtime === kind).map(({ folder }) => folder);
}
