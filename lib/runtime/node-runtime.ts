import { buildChildProgram } from './child-program.ts';
import { createCodeCacheWriter } from './code-cache.ts';
import { createCompiledSchemas } from './compiled-schemas.ts';
import { loadInProcess, ownFoldersOf } from './load-in-process.ts';
import { flagsFor, cutFor, flagsOfPrewarmed, foldersToGrant, isInside, needsOwnFlags, textsOf } from './node-grants.ts';
import type { Cut, GrantContext, GrantedFolders } from './node-grants.ts';
import { startNodeProcess } from './node-process.ts';
import { findParentDeathPrefix } from './parent-death.ts';
import { createRunningExtensions, SYSTEM_CLOCK } from './running-extensions.ts';
import type { ChannelLimits } from './channel-in-process.ts';
import type { ExtensionLog } from './extension-log.ts';
import type { FramedProcess } from './framed-process.ts';
import type { LoadInProcess } from './load-in-process.ts';
import type { NodeProcessSettings } from './node-process.ts';
import type { CrashBreaker } from './crash-breaker.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import type { Clock, StartedExtension } from './running-extensions.ts';
import type { Artifact, DescribeExtension, ExtensionDescription, LoadedFile, RawFailure, Runtime } from './runtime.ts';

export interface NodeRuntimeOptions {
  readonly limits: { readonly loadTimeoutMs: number; readonly maxResultBytes: number; readonly extensionMemoryMb: number };
  /** `net`, `read`, `write`, `run`, `addons`, `workers`. */
  permissionsOf(extension: string): readonly string[];
  /** The complete environment of this extension; nothing is added. */
  environmentOf(artifact: Artifact): Readonly<Record<string, string>>;
  /** Why it must not start now, such as a missing secret. */
  refusal?(artifact: Artifact): RawFailure | null;
  /** Variables common to all extensions (LANG, TZ, …); given to prewarmed processes. */
  readonly commonEnvironment?: Readonly<Record<string, string>>;
  readonly workspaceRoot: string;
  /** Folders of installed packages that extensions may read. */
  readonly nodeModulesDirs: readonly string[];
  /** Where artifacts are stored. */
  readonly programDir: string;
  /** Where the child program is written. */
  readonly cacheDir: string;
  readonly channelLimits?: ChannelLimits | undefined;
  /** How long an unused process is kept; absent or 0: for ever. */
  readonly idleMs?: number;
  /** Whether a process waits for the next load; by default it does. */
  readonly prewarms?: boolean | undefined;
  /** Removes secrets from text that is stored or shown. */
  hideSecrets?(text: string): string;
  readonly orphans?: OrphanGuard;
  readonly breaker?: CrashBreaker;
  readonly clock?: Clock;
  readonly random?: () => number;
}

const LOADS_TRIED = 2;

interface Machinery {
  readonly settings: NodeProcessSettings;
  readonly pool: PrewarmPool;
}

/** Runs Node extensions, each in its own process. Owns every process until `close` has settled. */
export function createNodeRuntime(options: NodeRuntimeOptions): Runtime {
  const { limits, workspaceRoot, nodeModulesDirs, programDir } = options;
  const clock = options.clock ?? SYSTEM_CLOCK;
  const random = options.random ?? Math.random;
  const compiled = createCompiledSchemas();
  const codeCache = createCodeCacheWriter();
  let made: Promise<Machinery> | null = null;

  const start = (settings: NodeProcessSettings, flags: readonly string[], mayStartPrograms: boolean): FramedProcess =>
    extensions.launch((mark) => startNodeProcess(settings, flags, mark), mayStartPrograms);

  const make = async (): Promise<Machinery> => {
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
    return { settings, pool: createPrewarmPool({ context, start: (flags) => start(settings, flags, false) }) };
  };

  /** Retried after a failure: a full disk may have space again. */
  const machinery = (): Promise<Machinery> => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };

  const startOnce = async (
    artifact: Artifact,
    describe: DescribeExtension | ExtensionDescription,
    log: ExtensionLog,
    signal: AbortSignal,
    onLoaded: (files: readonly LoadedFile[]) => void,
    mayUsePrewarmed: boolean,
  ): Promise<LoadInProcess> => {
    const { settings, pool } = await machinery();
    const permissions = options.permissionsOf(artifact.extension);
    const environment = options.environmentOf(artifact);
    const context = { childProgram: settings.childProgram, workspaceRoot, nodeModulesDirs, programDir };
    const taken = mayUsePrewarmed ? pool.take(artifact, permissions) : null;
    const process = taken?.process ?? start(settings, flagsFor(artifact, permissions, context), mayStartPrograms(permissions));
    return loadInProcess({
      process,
      isWarm: taken?.isReady ?? false,
      message: {
        type: 'load',
        extension: artifact.extension,
        program: artifact.programFile,
        ownFolders: ownFoldersOf(artifact),
        workspaceRoot,
        environment,
        drops: taken?.cut.drops ?? [],
        mustNotHave: taken?.cut.mustNotHave ?? [],
        describe: typeof describe === 'function',
        maxResultBytes: limits.maxResultBytes,
      },
      entryFile: artifact.entryFile,
      describe,
      compiled,
      onLoaded,
      log,
      now: clock.now,
      limitMs: limits.loadTimeoutMs,
      memoryMb: limits.extensionMemoryMb,
      signal,
    }).finally(() => pool.replenishSoon());
  };

  const startExtension = async (
    artifact: Artifact,
    describe: DescribeExtension | ExtensionDescription,
    log: ExtensionLog,
    signal: AbortSignal,
    onLoaded: (files: readonly LoadedFile[]) => void,
  ): Promise<StartedExtension> => {
    for (let tried = 1; tried <= LOADS_TRIED; tried += 1) {
      let outcome: LoadInProcess;
      try {
        outcome = await startOnce(artifact, describe, log, signal, onLoaded, tried === 1);
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
        message: 'The process could not be limited to what this extension may do, so nothing was run in it',
      },
    };
  };

  const extensions = createRunningExtensions({
    memoryMb: limits.extensionMemoryMb,
    channelLimits: options.channelLimits,
    idleMs: options.idleMs,
    clock,
    random,
    orphans: options.orphans,
    breaker: options.breaker,
    hideSecrets: options.hideSecrets,
    refusal: options.refusal,
    start: startExtension,
  });

  return {
    kind: 'node',
    load: (artifact, loadOptions) => extensions.load(artifact, loadOptions),
    revive: (artifact, description, reviveOptions) => extensions.revive(artifact, description, reviveOptions),
    prepare(folders) {
      if (extensions.closing.aborted) return;
      void machinery().then(
        ({ pool }) => {
          if (options.prewarms !== false) pool.prepare(folders);
        },
        () => undefined, // the next load fails with the same error and reports it
      );
    },
    expect(artifact) {
      if (extensions.closing.aborted || made === null) return;
      void made.then(
        ({ pool }) => pool.aim(artifact, options.permissionsOf(artifact.extension)),
        () => undefined, // the load fails with the same error and reports it
      );
    },
    close: () =>
      extensions.close(async () => {
        const machine = await made?.catch(() => null);
        await Promise.all([machine?.pool.close(), codeCache.close()]);
      }),
  };
}

/** Native add-ons can start programs without a permission. */
function mayStartPrograms(permissions: readonly string[]): boolean {
  return permissions.some((permission) => permission === 'run' || permission === 'addons');
}

/**
 * One prewarmed process that has imported nothing yet, so that a reload does not wait for a start (30–60 ms). It holds no secrets:
 * only the common environment.
 *
 * What can go wrong: it cannot be started (no process waits; the next load reports the error); it dies while waiting (discarded;
 * the next load starts a new one, never a loop); it has no grant for a new folder (the load starts a fresh process); its
 * permissions exceed those of the extension (the child drops and verifies them before the import); it was prepared for another
 * extension (discarded; a fresh process is started).
 */
interface PrewarmPool {
  /** Current folders of extensions; a prewarmed process without a grant for one of them is replaced. */
  prepare(folders: readonly string[]): void;
  /** Drops the permissions for this extension ahead of its load. */
  aim(artifact: Pick<Artifact, 'extension' | 'folder'>, permissions: readonly string[]): void;
  /** A process for this extension; null if there is none. */
  take(artifact: Artifact, permissions: readonly string[]): TakenProcess | null;
  /** Starts the next process after a delay: its start competes with the commit and the first call after a load. */
  replenishSoon(): void;
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
  readonly start: (flags: readonly string[]) => FramedProcess;
}

interface PrewarmedProcess {
  readonly process: FramedProcess;
  readonly granted: GrantedFolders;
  isReady: boolean;
  /** What its permissions were reduced to; null while it suits all. */
  aim: string | null;
}

const ALREADY_CUT: Cut = { drops: [], mustNotHave: [] };

/** Longer than a commit and a first call; shorter than the time to a person's next save. */
const REPLENISH_AFTER_MS = 60;

function createPrewarmPool({ context, start }: PrewarmPoolOptions): PrewarmPool {
  let folders: readonly string[] | null = null;
  let prewarmed: PrewarmedProcess | null = null;
  let isClosed = false;
  let timer: NodeJS.Timeout | null = null;
  const ending = new Set<Promise<unknown>>();

  const discard = (): void => {
    if (prewarmed === null) return;
    const { process } = prewarmed;
    prewarmed = null;
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

  const replenish = (): void => {
    if (isClosed || prewarmed !== null || folders === null) return;
    const granted = new Map(folders.map((folder) => [folder, textsOf(folder)]));
    const process = startPrewarmed(granted);
    if (process === null) return;
    const next: PrewarmedProcess = { process, granted, isReady: false, aim: null };
    prewarmed = next;
    next.process.listen({
      onMessage(message) {
        if (message.type === 'hello') next.isReady = true;
        if (message.type === 'refused' && prewarmed === next) discard();
      },
      onEnd() {
        if (prewarmed === next) prewarmed = null;
      },
      onOutput: () => undefined,
      isAtWork: () => !next.isReady,
    });
  };

  const fits = ({ granted }: PrewarmedProcess, folder: string, permissions: readonly string[]): boolean =>
    !needsOwnFlags(permissions) && [context.workspaceRoot, ...granted.keys()].some((known) => isInside(folder, known));

  const mayRead = (artifact: Artifact): boolean => {
    return [context.programDir, context.workspaceRoot, artifact.folder].some((folder) => isInside(artifact.programFile, folder));
  };

  return {
    prepare(all) {
      const wanted = foldersToGrant(all, context.workspaceRoot);
      if (folders !== null && folders.length === wanted.length && folders.every((folder, at) => folder === wanted[at])) return replenish();
      folders = wanted;
      discard();
      replenish();
    },
    aim(artifact, permissions) {
      if (prewarmed === null || prewarmed.aim !== null || !fits(prewarmed, artifact.folder, permissions)) return;
      prewarmed.aim = aimOf(artifact, permissions);
      prewarmed.process.send({ type: 'cut', ...cutFor(artifact.folder, permissions, prewarmed.granted) });
    },
    take(artifact, permissions) {
      if (prewarmed === null || !fits(prewarmed, artifact.folder, permissions) || !mayRead(artifact)) return null;
      if (prewarmed.aim !== null && prewarmed.aim !== aimOf(artifact, permissions)) {
        discard();
        return null;
      }
      const known = prewarmed.granted.get(artifact.folder);
      // A link in its path has a new target.
      if (known !== undefined && known.join('\0') !== textsOf(artifact.folder).join('\0')) {
        discard();
        return null;
      }
      const taken = prewarmed;
      prewarmed = null;
      const cut = taken.aim === null ? cutFor(artifact.folder, permissions, taken.granted) : ALREADY_CUT;
      return { process: taken.process, isReady: taken.isReady, cut };
    },
    replenishSoon() {
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(() => {
        timer = null;
        replenish();
      }, REPLENISH_AFTER_MS);
      timer.unref();
    },
    async close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      discard();
      await Promise.all(ending);
    },
  };
}

/** Extensions with equal values may use the same process. */
function aimOf(artifact: Pick<Artifact, 'folder'>, permissions: readonly string[]): string {
  return JSON.stringify([artifact.folder, permissions]);
}
