import type { Artifact, Runtime } from '#lib/runtime/runtime.ts';
import type { BuildInput, BuildOutcome, Candidate } from './build.ts';
import type { Served, Slot } from './extension-slot.ts';
import { changedInputs, existing, readFileFacts } from './file-facts.ts';
import type { LoaderOptions } from './loader-state.ts';
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
  readonly scan: Promise<Scan>;
  /** Whether each file that was told of is in a build that succeeded, and none is empty: then there is hardly more to come. */
  readonly isWhole: Promise<boolean>;
  /** As they were found when the folder was looked at. */
  factsOf(file: string): Promise<BuildInput | null>;
  /** Null when nothing was built ahead, or when it is not what the files are now. */
  built(candidate: Candidate): Promise<BuildOutcome | null>;
}

const BUILT_MOST = 4;

/** What it needs of the loader's state. */
export interface LookedAt {
  readonly options: Pick<LoaderOptions, 'builder' | 'extensionsDir'> & { readonly runtimes: readonly Pick<Runtime, 'kind' | 'expect'>[] };
  readonly slots: ReadonlyMap<
    string,
    Pick<Slot, 'candidate' | 'newest' | 'isExcluded' | 'disabled'> & { readonly serving: Pick<Served, 'contentHash'> | null }
  >;
}

interface Ahead {
  readonly entryFile: string;
  readonly outcome: Promise<BuildOutcome | null>;
}

/** @param files that are said to have changed; absolute */
export function createEarlyLook(state: LookedAt, files: readonly string[]): EarlyLook {
  const { builder, extensionsDir, runtimes } = state.options;
  const ahead = new Map<string, Ahead>();
  const facts = new Map<string, Promise<BuildInput | null>>();

  function build(candidate: Candidate): void {
    if (candidate.runtime === 'mcp' || ahead.has(candidate.id) || ahead.size >= BUILT_MOST) return;
    ahead.set(candidate.id, { entryFile: candidate.entryFile, outcome: attempt(candidate) });
  }

  async function attempt(candidate: Candidate): Promise<BuildOutcome | null> {
    try {
      const outcome = await builder.build(candidate);
      if (outcome.ok && isNews(outcome.artifact)) runtimes.find(({ kind }) => kind === candidate.runtime)?.expect?.(outcome.artifact);
      return outcome;
    } catch {
      return null;
    }
  }

  /** Neither what was tried last nor what serves, so it will be loaded. */
  function isNews({ extension, contentHash }: Artifact): boolean {
    const slot = state.slots.get(extension);
    return slot !== undefined && slot.newest?.contentHash !== contentHash && slot.serving?.contentHash !== contentHash;
  }

  const told = new Set(files);
  for (const slot of state.slots.values()) {
    const { candidate, newest } = slot;
    if (candidate === null || slot.isExcluded || slot.disabled) continue;
    const isTold = told.has(candidate.entryFile) || newest?.inputs.some((input) => told.has(input.path)) === true;
    if (isTold) build(candidate);
  }

  async function look(): Promise<Scan> {
    const scan = await scanExtensions(extensionsDir);
    for (const candidate of scan.candidates) if (!state.slots.has(candidate.id) && told.has(candidate.entryFile)) build(candidate);
    const known = [...state.slots.values()].flatMap(({ newest }) => [
      ...(newest?.inputs.map((input) => input.path) ?? []),
      ...(newest?.missing ?? []),
    ]);
    for (const file of known) if (!facts.has(file)) facts.set(file, readFileFacts(file));
    await Promise.all(facts.values());
    return scan;
  }

  const scan = look();
  // Whoever takes the look meets the refusal; when nobody does, the next one meets it.
  scan.catch(() => undefined);

  async function seemsWhole(): Promise<boolean> {
    await scan.catch(() => null);
    const outcomes = await Promise.all([...ahead.values()].map(({ outcome }) => outcome));
    const inputs = outcomes.flatMap((outcome) => (outcome?.ok === true ? outcome.inputs : []));
    const full = new Set(inputs.filter(({ size }) => size > 0).map((input) => input.path));
    return outcomes.every((outcome) => outcome?.ok === true) && told.size > 0 && [...told].every((file) => full.has(file));
  }

  return {
    scan,
    isWhole: seemsWhole(),
    factsOf: (file) => facts.get(file) ?? readFileFacts(file),
    async built(candidate) {
      const found = ahead.get(candidate.id);
      ahead.delete(candidate.id);
      if (found === undefined || found.entryFile !== candidate.entryFile) return null;
      const outcome = await found.outcome;
      if (outcome === null || outcome.inputs.length === 0) return null;
      const [changed, appeared] = await Promise.all([changedInputs(outcome.inputs), existing(outcome.missing)]);
      return changed.length === 0 && appeared.length === 0 ? outcome : null;
    },
  };
}
