import { buildChildProgram } from './child-program.ts';
import { createCodeCacheWriter } from './code-cache.ts';
import { type LoadInProcess, loadInProcess, loadMessage, runningOptions, type RuntimeOptions } from './load-in-process.ts';
import {
  type Cut,
  cutFor,
  flagsFor,
  flagsOfPrewarmed,
  foldersToGrant,
  type GrantContext,
  type GrantedFolders,
  isInside,
  needsOwnFlags,
  textsOf,
} from './node-grants.ts';
import { type NodeProcessSettings, startNodeProcess } from './node-process.ts';
import { findParentDeathPrefix } from './parent-death.ts';
import { REPLENISH_AFTER_MS, createRunningExtensions, type RunningExtensionsOptions } from './running-extensions.ts';
import type { FramedProcess } from './framed-process.ts';
import type { Artifact, Runtime } from './runtime.ts';

export interface NodeRuntimeOptions extends RuntimeOptions {
  /** `net`, `read`, `write`, `run`, `addons`, `workers`. */
  permissionsOf(extension: string): readonly string[];
  /** Folders of installed packages that extensions may read. */
  readonly nodeModulesDirs: readonly string[];
  /** Where artifacts are stored. */
  readonly programDir: string;
}

const LOADS_TRIED = 2;

interface Setup {
  readonly settings: NodeProcessSettings;
  readonly pool: PrewarmPool;
}

/** Runs Node extensions, each in its own process. Owns every process until `close` has settled. */
export function createNodeRuntime(options: NodeRuntimeOptions): Runtime {
  const { limits, workspaceRoot, nodeModulesDirs, programDir } = options;
  const codeCache = createCodeCacheWriter();
  let loading = 0;
  let made: Promise<Setup> | null = null;

  const start = (settings: NodeProcessSettings, flags: readonly string[], mayStartPrograms: boolean): FramedProcess =>
    extensions.launch((mark) => startNodeProcess(settings, flags, mark), mayStartPrograms);

  const make = async (): Promise<Setup> => {
    const [childProgram, prefix] = await Promise.all([buildChildProgram(options.cacheDir), findParentDeathPrefix()]);
    if (!extensions.closing.aborted) codeCache.write(childProgram);
    const settings: NodeProcessSettings = {
      childProgram,
      prefix,
      memoryMb: limits.extensionMemoryMb,
      maxResultBytes: limits.maxResultBytes,
      workspaceRoot,
      environment: options.commonEnvironment ?? {},
    };
    const context = { childProgram, workspaceRoot, nodeModulesDirs, programDir };
    return {
      settings,
      pool: createPrewarmPool({ context, start: (flags) => (extensions.isShort() ? null : start(settings, flags, false)) }),
    };
  };

  /** Retried after a failure: a full disk may have space again. */
  const setUp = (): Promise<Setup> => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };

  const startOnce = async (
    [artifact, describe, log, signal, onLoaded]: Parameters<RunningExtensionsOptions['start']>,
    mayUsePrewarmed: boolean,
  ): Promise<LoadInProcess> => {
    const { settings, pool } = await setUp();
    const permissions = options.permissionsOf(artifact.extension);
    const message = loadMessage(artifact, describe, options);
    const context = { childProgram: settings.childProgram, workspaceRoot, nodeModulesDirs, programDir };
    const taken = mayUsePrewarmed ? pool.take(artifact, permissions) : null;
    const process = taken?.process ?? start(settings, flagsFor(artifact, permissions, context), mayStartPrograms(permissions));
    loading += 1;
    pool.replenishAfter(REPLENISH_BESIDE_MS);
    return loadInProcess({
      process,
      isWarm: taken?.isReady ?? false,
      message: { ...message, ...taken?.cut },
      entryFile: artifact.entryFile,
      describe,
      onLoaded,
      log,
      runtime: options,
      signal,
    }).finally(() => {
      loading -= 1;
      if (loading === 0) pool.replenishAfter(REPLENISH_AFTER_MS);
    });
  };

  const startExtension: RunningExtensionsOptions['start'] = async (...given) => {
    for (let tried = 1; tried <= LOADS_TRIED; tried += 1) {
      let outcome: LoadInProcess;
      try {
        outcome = await startOnce(given, tried === 1);
      } catch (error) {
        return {
          ok: false,
          failure: {
            code: 'spawn_failed',
            message: `Its process could not be prepared: ${error instanceof Error ? error.message : String(error)}`,
          },
        };
      }
      if (outcome.ok || outcome.failure !== null) return outcome;
    }
    return {
      ok: false,
      failure: {
        code: 'spawn_failed',
        message: 'The process could not be restricted to the permissions of this extension, so nothing was run in it',
      },
    };
  };

  const extensions = createRunningExtensions({
    ...runningOptions(options),
    endPrewarmed: () => void made?.then(({ pool }) => pool.discard()).catch(() => undefined), // without a setup there are none
    start: startExtension,
  });

  return {
    kind: 'node',
    makeSpace: extensions.makeSpace,
    load: (artifact, loadOptions) => extensions.load(artifact, loadOptions),
    revive: (artifact, description, reviveOptions) => extensions.revive(artifact, description, reviveOptions),
    prepare(folders) {
      if (extensions.closing.aborted) return;
      void setUp().then(
        ({ pool }) => {
          if (options.prewarms !== false) pool.prepare(folders);
        },
        () => undefined, // the next load fails with the same error and reports it
      );
    },
    expect(artifact) {
      if (extensions.closing.aborted || made === null) return;
      void made.then(
        ({ pool }) => pool.prepareFor(artifact, options.permissionsOf(artifact.extension)),
        () => undefined, // the load fails with the same error and reports it
      );
    },
    close: () =>
      extensions.close(async () => {
        const setup = await made?.catch(() => null);
        await Promise.all([setup?.pool.close(), codeCache.close()]);
      }),
  };
}

/** Native add-ons can start programs without a permission. */
function mayStartPrograms(permissions: readonly string[]): boolean {
  return permissions.some((permission) => permission === 'run' || permission === 'addons');
}

/**
 * Prewarmed processes that have imported nothing yet, so that a reload does not wait for a start (30–60 ms). They hold no secrets:
 * only the common environment.
 *
 * Node drops a granted folder in a time that grows with the number of granted ones, so a process that was granted many would take
 * longer to restrict than to start. So the folders of many extensions are divided into groups, and the groups that were used last have
 * one process each.
 *
 * What can go wrong: one cannot be started (no process waits; the next load reports the error); it dies while waiting (discarded;
 * the next load starts a new one, never a loop); it has no grant for a new folder (the load starts a fresh process); its
 * permissions exceed those of the extension (the child drops and verifies them before the import); it was prepared for another
 * extension (discarded; a fresh process is started).
 */
interface PrewarmPool {
  /** Current folders of extensions; a prewarmed process without a grant for one of its group is replaced. */
  prepare(folders: readonly string[]): void;
  /** Drops the permissions for this extension ahead of its load. */
  prepareFor(artifact: Pick<Artifact, 'extension' | 'folder'>, permissions: readonly string[]): void;
  /** A process for this extension; null if there is none. */
  take(artifact: Artifact, permissions: readonly string[]): TakenProcess | null;
  /** Starts the next process after a delay: its start competes with loads, and with the commit and the first call after them. */
  replenishAfter(ms: number): void;
  /** Ends all of them. */
  discard(): void;
  close(): Promise<void>;
}

interface TakenProcess {
  readonly process: FramedProcess;
  /** It has sent `hello`; otherwise its new owner receives it. */
  readonly isReady: boolean;
  readonly cut: Cut;
}

interface PrewarmPoolOptions {
  readonly context: GrantContext;
  /** Null: not now. */
  readonly start: (flags: readonly string[]) => FramedProcess | null;
}

interface PrewarmedProcess {
  readonly process: FramedProcess;
  readonly granted: GrantedFolders;
  isReady: boolean;
  /** What its permissions were reduced to; null before that. */
  preparedFor: string | null;
}

interface FolderGroup {
  folders: readonly string[];
  prewarmed: PrewarmedProcess | null;
}

const NOTHING_TO_DROP: Cut = { drops: [], mustNotHave: [] };

/** While many extensions load in fresh processes, starting more processes would delay them. */
const REPLENISH_BESIDE_MS = 1_000;
const BETWEEN_STARTS_MS = 100;
/** On average; restricting a process takes 1 ms then, 5 ms with 125 and 60 ms with 500. */
const GROUP_MOST = 64;
const PREWARMED_MOST = 8;

function createPrewarmPool({ context, start }: PrewarmPoolOptions): PrewarmPool {
  let folders: readonly string[] | null = null;
  let groups: readonly FolderGroup[] = [];
  /** The last one used comes last. */
  const used = new Set<FolderGroup>();
  let isClosed = false;
  let timer: NodeJS.Timeout | null = null;
  const ending = new Set<Promise<unknown>>();

  const discard = (group: FolderGroup): void => {
    if (group.prewarmed === null) return;
    const { process } = group.prewarmed;
    group.prewarmed = null;
    process.kill('unwanted');
    const gone: Promise<unknown> = process.ended.finally(() => ending.delete(gone));
    ending.add(gone);
  };

  const startPrewarmed = (granted: GrantedFolders): FramedProcess | null => {
    try {
      return start(flagsOfPrewarmed(granted, context));
    } catch {
      return null;
    }
  };

  const fill = (group: FolderGroup): void => {
    if (group.prewarmed !== null) return;
    const granted = new Map(group.folders.map((folder) => [folder, textsOf(folder)]));
    const process = startPrewarmed(granted);
    if (process === null) return;
    const next: PrewarmedProcess = { process, granted, isReady: false, preparedFor: null };
    group.prewarmed = next;
    next.process.listen({
      onMessage(message) {
        if (message.type === 'hello') next.isReady = true;
        if (message.type === 'refused' && group.prewarmed === next) discard(group);
      },
      onEnd() {
        if (group.prewarmed === next) group.prewarmed = null;
      },
      onOutput: () => undefined,
      isAtWork: () => !next.isReady,
    });
  };

  const use = (group: FolderGroup): void => {
    // With the first one, processes for the other groups: more saves usually follow.
    if (used.size === 0) for (const one of groups) used.add(one);
    used.delete(group);
    used.add(group);
  };

  /** Starts one at a time, that of the group used last first: each start blocks the server for some milliseconds. */
  const replenish = (): void => {
    if (isClosed) return;
    const latest = [...used].slice(-PREWARMED_MOST).reverse();
    for (const group of groups) if (!latest.includes(group)) discard(group);
    const missing = latest.filter(({ prewarmed }) => prewarmed === null);
    const [next] = missing;
    if (next === undefined) return;
    fill(next);
    if (next.prewarmed !== null && missing.length > 1) replenishAfter(BETWEEN_STARTS_MS);
  };

  const replenishAfter = (ms: number): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      replenish();
    }, ms);
    timer.unref();
  };

  const divide = (wanted: readonly string[]): void => {
    // A power of two, so that one more folder rarely moves the others.
    const count = 2 ** Math.max(0, Math.ceil(Math.log2(wanted.length / GROUP_MOST)));
    if (count !== groups.length) {
      groups.forEach(discard);
      groups = Array.from({ length: count }, () => ({ folders: [], prewarmed: null }));
      used.clear();
    }
    const divided = Map.groupBy(wanted, (folder) => groups[placeOf(folder, count)]);
    for (const group of groups) {
      const next = divided.get(group) ?? [];
      if (next.length !== group.folders.length || next.some((folder, at) => folder !== group.folders[at])) discard(group);
      group.folders = next;
      if (count === 1) used.add(group);
    }
  };

  /** The group with this folder; of one in the workspace, which all may use, one that is prewarmed. */
  const groupOf = (folder: string): FolderGroup | null => {
    const own = groups[placeOf(folder, groups.length)];
    if (own?.folders.includes(folder) === true) return own;
    return groups.find(({ prewarmed }) => prewarmed !== null && reaches(prewarmed, folder)) ?? null;
  };

  const reaches = ({ granted }: PrewarmedProcess, folder: string): boolean =>
    [context.workspaceRoot, ...granted.keys()].some((known) => isInside(folder, known));

  const mayRead = (artifact: Artifact): boolean => {
    return [context.programDir, context.workspaceRoot, artifact.folder].some((folder) => isInside(artifact.programFile, folder));
  };

  return {
    prepare(all) {
      const wanted = foldersToGrant(all, context.workspaceRoot);
      if (folders === null || folders.length !== wanted.length || !folders.every((folder, at) => folder === wanted[at])) divide(wanted);
      folders = wanted;
      replenish();
    },
    prepareFor(artifact, permissions) {
      const group = needsOwnFlags(permissions) ? null : groupOf(artifact.folder);
      if (group === null || isClosed) return;
      // It starts while the save ends.
      fill(group);
      const { prewarmed } = group;
      if (prewarmed === null || prewarmed.preparedFor !== null) return;
      prewarmed.preparedFor = preparationKey(artifact, permissions);
      prewarmed.process.send({ type: 'cut', ...cutFor(artifact.folder, permissions, prewarmed.granted) });
    },
    take(artifact, permissions) {
      const group = needsOwnFlags(permissions) || !mayRead(artifact) ? null : groupOf(artifact.folder);
      if (group === null) return null;
      use(group);
      const taken = group.prewarmed;
      if (taken === null) return null;
      const known = taken.granted.get(artifact.folder);
      const isOfAnother = taken.preparedFor !== null && taken.preparedFor !== preparationKey(artifact, permissions);
      // A link in its path has a new target.
      const isMoved = known !== undefined && known.join('\0') !== textsOf(artifact.folder).join('\0');
      if (isOfAnother || isMoved) {
        discard(group);
        return null;
      }
      group.prewarmed = null;
      const cut = taken.preparedFor === null ? cutFor(artifact.folder, permissions, taken.granted) : NOTHING_TO_DROP;
      return { process: taken.process, isReady: taken.isReady, cut };
    },
    replenishAfter,
    discard: () => groups.forEach(discard),
    async close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      groups.forEach(discard);
      await Promise.all(ending);
    },
  };
}

/** The same for a folder while the number of groups is the same. */
function placeOf(folder: string, count: number): number {
  let hash = 0;
  for (let at = 0; at < folder.length; at += 1) hash = (hash * 31 + folder.charCodeAt(at)) % 1_000_003;
  return hash % count;
}

/** Extensions with equal values may use the same process. */
function preparationKey(artifact: Pick<Artifact, 'folder'>, permissions: readonly string[]): string {
  return JSON.stringify([artifact.folder, permissions]);
}
