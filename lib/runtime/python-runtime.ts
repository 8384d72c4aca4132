import { dirname } from 'node:path';
import { createCheckedProcess } from './checked-process.ts';
import { invalidSchema } from './invalid-schema.ts';
import { loadInProcess, ownFoldersOf } from './load-in-process.ts';
import { startNodeProcess } from './node-process.ts';
import { findNoNetworkPrefix, findParentDeathPrefix } from './parent-death.ts';
import { createPythonInterpreters } from './python-interpreter.ts';
import { placeInPython } from './python-places.ts';
import { startPythonProcess } from './python-process.ts';
import { createPythonSpare } from './python-spare.ts';
import { createRunningExtensions, SYSTEM_CLOCK } from './running-extensions.ts';
import { createSchemaGuard } from './schema-guard.ts';
import type { ChannelLimits } from './channel-in-process.ts';
import type { FramedProcess } from './framed-process.ts';
import type { Clock, RunningExtensionsOptions } from './running-extensions.ts';
import type { CrashBreaker } from './crash-breaker.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import type { Artifact, ExtensionDescription, RawDescription, RawFailure, Runtime } from './runtime.ts';

export interface PythonRuntimeOptions {
  readonly limits: { readonly loadTimeoutMs: number; readonly maxResultBytes: number; readonly extensionMemoryMb: number };
  /** The interpreter for extensions without a `.venv`: a name on PATH, or a path. */
  readonly python: string;
  /** Of them only `net` can be taken from Python, and only where the system lets a process have a network of its own. */
  permissionsOf?(extension: string): readonly string[];
  /** The whole environment that this extension sees; nothing is added to it. */
  environmentOf(artifact: Artifact): Readonly<Record<string, string>>;
  /** What every extension sees alike (PATH, LANG, TZ, …). */
  readonly commonEnvironment: Readonly<Record<string, string>>;
  readonly workspaceRoot: string;
  /** Where the program of the guard is written. */
  readonly cacheDir: string;
  readonly channelLimits?: ChannelLimits | undefined;
  /** A text without secrets, for what is kept and shown of it. */
  hideSecrets?(text: string): string;
  readonly orphans?: OrphanGuard;
  readonly breaker?: CrashBreaker;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Runs extensions written in Python, each in a process of its own. Owns every process until `close` has settled. */
export function createPythonRuntime(options: PythonRuntimeOptions): Runtime {
  const { limits, workspaceRoot, commonEnvironment } = options;
  const clock = options.clock ?? SYSTEM_CLOCK;
  const interpreters = createPythonInterpreters({ python: options.python, environment: commonEnvironment });
  let prefix: Promise<readonly string[]> | null = null;
  const parentDeath = (): Promise<readonly string[]> => (prefix ??= findParentDeathPrefix());

  let noNetwork: Promise<readonly string[]> | null = null;
  /** What to put before its command so that it has no network; empty where it may have one, or it cannot be taken. */
  const withoutNetwork = async (extension: string): Promise<readonly string[]> =>
    options.permissionsOf === undefined || options.permissionsOf(extension).includes('net') ? [] : (noNetwork ??= findNoNetworkPrefix());

  const startProcess = (before: readonly string[], interpreter: string): FramedProcess =>
    extensions.launch(
      (mark) =>
        startPythonProcess(
          {
            interpreter,
            prefix: before,
            memoryMb: limits.extensionMemoryMb,
            maxResultBytes: limits.maxResultBytes,
            workspaceRoot,
            environment: commonEnvironment,
          },
          mark,
        ),
      true,
    );

  let knownPrefix: readonly string[] = [];
  const spare = createPythonSpare((interpreter) => {
    try {
      return startProcess(knownPrefix, interpreter);
    } catch {
      return null; // whatever is wrong, the next load meets it too and tells it
    }
  });

  const guard = createSchemaGuard({
    cacheDir: options.cacheDir,
    start: async (childProgram) => {
      const settings = {
        childProgram,
        prefix: await parentDeath(),
        memoryMb: limits.extensionMemoryMb,
        maxResultBytes: limits.maxResultBytes,
        workspaceRoot,
        environment: {},
      };
      return extensions.launch((mark) => startNodeProcess(settings, [`--allow-fs-read=${dirname(childProgram)}`], mark), false);
    },
  });

  const start: RunningExtensionsOptions['start'] = async (artifact, describe, log, signal, onLoaded) => {
    const found = await interpreters.find(artifact.folder);
    if (!found.ok) return { ok: false, failure: { file: artifact.entryFile, ...found.failure } };
    knownPrefix = await parentDeath();
    const cut = await withoutNetwork(artifact.extension);
    const taken = cut.length === 0 ? spare.take(found.program) : null;
    let process: FramedProcess;
    try {
      process = taken?.process ?? startProcess([...cut, ...knownPrefix], found.program);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { ok: false, failure: { code: 'spawn_failed', message: `Its process could not be prepared: ${why}` } };
    }
    let raw: RawDescription | null = null;
    const outcome = await loadInProcess({
      process,
      isWarm: taken?.isReady ?? false,
      message: {
        type: 'load',
        extension: artifact.extension,
        program: artifact.programFile,
        ownFolders: ownFoldersOf(artifact),
        workspaceRoot,
        environment: options.environmentOf(artifact),
        drops: [],
        mustNotHave: cut.length === 0 ? [] : [['net']],
        describe: typeof describe === 'function',
        maxResultBytes: limits.maxResultBytes,
      },
      entryFile: artifact.entryFile,
      describe: typeof describe !== 'function' ? describe : (described) => describe((raw = described)),
      onLoaded,
      log,
      now: clock.now,
      limitMs: limits.loadTimeoutMs,
      memoryMb: limits.extensionMemoryMb,
      signal,
    }).finally(() => {
      if (!found.isOwn && !extensions.closing.aborted) spare.replenish(found.program);
    });
    if (!outcome.ok)
      return { ok: false, failure: outcome.failure ?? { code: 'spawn_failed', message: 'The process gave up before it ran anything' } };
    const fault = raw === null ? null : await inspectSchemas(outcome.description, raw);
    if (fault === null) return { ...outcome, loaded: createCheckedProcess(outcome.loaded, outcome.description, guard) };
    outcome.loaded.kill();
    return { ok: false, failure: fault };
  };

  const extensions = createRunningExtensions({
    memoryMb: limits.extensionMemoryMb,
    channelLimits: options.channelLimits,
    clock,
    random: options.random ?? Math.random,
    orphans: options.orphans,
    breaker: options.breaker,
    hideSecrets: options.hideSecrets,
    start,
  });

  /** The first schema that cannot be used. */
  async function inspectSchemas({ tools }: ExtensionDescription, raw: RawDescription): Promise<RawFailure | null> {
    for (const [at, tool] of tools.entries()) {
      const subject = Object.hasOwn(raw.values, 'TOOLS') ? ['TOOLS', at] : ['TOOL'];
      for (const [field, schema] of [
        ['parameters', tool.parameters],
        ['output_schema', tool.outputSchema],
      ] as const) {
        const fault = schema === null ? null : await guard.inspect(JSON.stringify(schema));
        if (fault !== null) return placeInPython(invalidSchema(tool.name, subject, field, fault), raw);
      }
    }
    return null;
  }

  return {
    kind: 'python',
    load: (artifact, loadOptions) => extensions.load(artifact, loadOptions),
    revive: (artifact, description, reviveOptions) => extensions.revive(artifact, description, reviveOptions),
    prepare(folders) {
      if (folders.length === 0 || extensions.closing.aborted) return;
      guard.prepare();
    },
    close: () => extensions.close(() => guard.close()),
  };
}
