import { buildChildProgram } from './child-program.ts';
import { createCodeCacheWriter } from './code-cache.ts';
import { createCompiledSchemas } from './compiled-schemas.ts';
import { loadInProcess, ownFoldersOf } from './load-in-process.ts';
import { flagsFor } from './node-grants.ts';
import { startNodeProcess } from './node-process.ts';
import { findParentDeathPrefix } from './parent-death.ts';
import { createRunningExtensions, SYSTEM_CLOCK } from './running-extensions.ts';
import { createPrewarmPool } from './prewarm-pool.ts';
import type { ChannelLimits } from './channel-in-process.ts';
import type { ExtensionLog } from './extension-log.ts';
import type { FramedProcess } from './framed-process.ts';
import type { LoadInProcess } from './load-in-process.ts';
import type { NodeProcessSettings } from './node-process.ts';
import type { CrashBreaker } from './crash-breaker.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import type { Clock, StartedExtension } from './running-extensions.ts';
import type { Artifact, DescribeExtension, ExtensionDescription, LoadedFile, RawFailure, Runtime } from './runtime.ts';
import type { PrewarmPool } from './prewarm-pool.ts';

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
