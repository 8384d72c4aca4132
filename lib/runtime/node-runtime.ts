import { buildChildProgram } from './child-program.ts';
import { createExtensionLog } from './extension-log.ts';
import { loadInProcess, ownFoldersOf } from './load-in-process.ts';
import { createMemoryWatch } from './memory-watch.ts';
import { flagsFor } from './node-grants.ts';
import { startNodeProcess } from './node-process.ts';
import { findParentDeathPrefix } from './parent-death.ts';
import { createSparePool } from './spare-pool.ts';
import { createSupervisedExtension } from './supervised-extension.ts';
import type { ExtensionLog } from './extension-log.ts';
import type { FramedProcess } from './framed-process.ts';
import type { LoadInProcess } from './load-in-process.ts';
import type { NodeProcessSettings } from './node-process.ts';
import type { Artifact, DescribeExtension, ExtensionDescription, ReviveOptions, RunningExtension, Runtime } from './runtime.ts';
import type { SparePool } from './spare-pool.ts';

export interface NodeRuntimeOptions {
  readonly limits: { readonly loadTimeoutMs: number; readonly maxResultBytes: number; readonly extensionMemoryMb: number };
  /** `net`, `read`, `write`, `run`, `addons`, `workers`. */
  permissionsOf(extension: string): readonly string[];
  /** The whole environment that this extension sees; nothing is added to it. */
  environmentOf(artifact: Artifact): Readonly<Record<string, string>>;
  /** What every extension sees alike (LANG, TZ, …); given to processes that wait for an extension. */
  readonly commonEnvironment?: Readonly<Record<string, string>>;
  readonly workspaceRoot: string;
  /** Folders of installed packages that extensions may read. */
  readonly nodeModulesDirs: readonly string[];
  /** Where artifacts lie. */
  readonly programDir: string;
  /** Where the program of the children is written. */
  readonly cacheDir: string;
  readonly clock?: { now(): number; elapsed(): number };
  readonly random?: () => number;
}

const SYSTEM_CLOCK = { now: () => Date.now(), elapsed: () => performance.now() };
const LOADS_TRIED = 2;
const MEGABYTE = 1_048_576;

interface Machinery {
  readonly settings: NodeProcessSettings;
  readonly pool: SparePool;
}

/** Runs extensions written for Node, each in a process of its own. Owns every process until `close` has settled. */
export function createNodeRuntime(options: NodeRuntimeOptions): Runtime {
  const { limits, workspaceRoot, nodeModulesDirs, programDir } = options;
  const clock = options.clock ?? SYSTEM_CLOCK;
  const random = options.random ?? Math.random;
  const memory = createMemoryWatch(limits.extensionMemoryMb * MEGABYTE);
  const running = new Set<RunningExtension>();
  const processes = new Set<FramedProcess>();
  const closing = new AbortController();
  let made: Promise<Machinery> | null = null;

  const start = (settings: NodeProcessSettings, flags: readonly string[]): FramedProcess => {
    const process = startNodeProcess(settings, flags);
    const unwatch = memory.watch(process.pid, (bytes) => process.kill('memory_limit', `${Math.round(bytes / MEGABYTE)} MB`));
    processes.add(process);
    void process.ended.then(() => {
      unwatch();
      processes.delete(process);
    });
    return process;
  };

  const make = async (): Promise<Machinery> => {
    const [childProgram, prefix] = await Promise.all([buildChildProgram(options.cacheDir), findParentDeathPrefix()]);
    const settings: NodeProcessSettings = {
      childProgram,
      prefix,
      memoryMb: limits.extensionMemoryMb,
      maxResultBytes: limits.maxResultBytes,
      workspaceRoot,
      environment: options.commonEnvironment ?? {},
    };
    const context = { childProgram, workspaceRoot, nodeModulesDirs, programDir };
    return { settings, pool: createSparePool({ context, start: (flags) => start(settings, flags) }) };
  };

  /** Tried anew after a failure: a full disk may have room again. */
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
    mayUseSpare: boolean,
  ): Promise<LoadInProcess> => {
    const { settings, pool } = await machinery();
    const permissions = options.permissionsOf(artifact.extension);
    const environment = options.environmentOf(artifact);
    const context = { childProgram: settings.childProgram, workspaceRoot, nodeModulesDirs, programDir };
    const taken = mayUseSpare ? pool.take(artifact, permissions) : null;
    const process = taken?.process ?? start(settings, flagsFor(artifact, permissions, context));
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
      describe,
      log,
      now: clock.now,
      limitMs: limits.loadTimeoutMs,
      memoryMb: limits.extensionMemoryMb,
      signal,
    }).finally(() => pool.replenishSoon());
  };

  type Started = Extract<LoadInProcess, { failure: object }> | Extract<LoadInProcess, { ok: true }>;
  const startExtension = async (
    artifact: Artifact,
    describe: DescribeExtension | ExtensionDescription,
    log: ExtensionLog,
    signal: AbortSignal,
  ): Promise<Started> => {
    for (let tried = 1; tried <= LOADS_TRIED; tried += 1) {
      let outcome: LoadInProcess;
      try {
        outcome = await startOnce(artifact, describe, log, signal, tried === 1);
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

  const supervise = (
    artifact: Artifact,
    description: ExtensionDescription,
    log: ExtensionLog,
    revive: ReviveOptions,
  ): ReturnType<typeof createSupervisedExtension> => {
    const extension = createSupervisedExtension({
      description,
      log,
      memoryMb: limits.extensionMemoryMb,
      clock,
      random,
      start: (signal) => startExtension(artifact, description, log, signal),
      onIncident: revive.onIncident,
      onClosed: () => running.delete(extension),
    });
    running.add(extension);
    return extension;
  };

  const logFor = ({ onIncident }: ReviveOptions): ExtensionLog =>
    createExtensionLog({ now: clock.now, onLine: (line) => onIncident({ type: 'log', line }) });

  return {
    kind: 'node',
    async load(artifact, loadOptions) {
      const log = logFor(loadOptions);
      const outcome = await startExtension(artifact, loadOptions.describe, log, AbortSignal.any([loadOptions.signal, closing.signal]));
      if (!outcome.ok) return outcome;
      const extension = supervise(artifact, outcome.description, log, loadOptions);
      extension.adopt(outcome.loaded);
      return { ok: true, extension };
    },
    revive: (artifact, description, reviveOptions) => supervise(artifact, description, logFor(reviveOptions), reviveOptions),
    prepare(folders) {
      if (closing.signal.aborted) return;
      void machinery().then(
        ({ pool }) => pool.prepare(folders),
        () => undefined, // whatever is wrong, the next load meets it too and tells it
      );
    },
    async close() {
      closing.abort();
      await Promise.all([...running].map((extension) => extension.close(0)));
      const machine = await made?.catch(() => null);
      await machine?.pool.close();
      for (const process of processes) process.kill('unwanted');
      await Promise.all([...processes].map((process) => process.ended));
      memory.close();
    },
  };
}
