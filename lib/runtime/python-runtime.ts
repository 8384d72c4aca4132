import { dirname } from 'node:path';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { invalidSchema } from './messages.ts';
import { loadInProcess, loadMessage, type RuntimeOptions, runningOptions } from './load-in-process.ts';
import { startNodeProcess, frameLimits, withoutStartOptions } from './node-process.ts';
import { findNoNetworkPrefix, findParentDeathPrefix } from './parent-death.ts';
import { createPythonInterpreters, locateInPython, type PythonInterpreters } from './python-interpreter.ts';
import { createPythonForks, type ForkInterpreter } from './python-forks.ts';
import { createRunningExtensions, REPLENISH_AFTER_MS, type RunningExtensionsOptions } from './running-extensions.ts';
import { createSchemaGuard, type SchemaGuard } from './schema-guard.ts';
import { type FramedProcess, startFramedProcess } from './framed-process.ts';
import type { OwnerMark } from './orphan-guard.ts';
import type { ExtensionDescription, RawDescription, RawFailure, Runtime } from './runtime.ts';
import type { LoadedProcess } from './loaded-process.ts';
import type { PendingCall } from './pending-call.ts';

export interface PythonRuntimeOptions extends RuntimeOptions {
  /** The interpreter for extensions without a `.venv`: a name on PATH, or a path. */
  readonly python: string;
  /** Shared with others, so that each interpreter is asked once; by default its own. */
  readonly interpreters?: PythonInterpreters;
  /** Only `net` can be denied in Python, and only if the system supports network namespaces. */
  permissionsOf?(extension: string): readonly string[];
}

/** Runs Python extensions, each in its own process. Owns every process until `close` has settled. */
export function createPythonRuntime(options: PythonRuntimeOptions): Runtime {
  const { limits, workspaceRoot, commonEnvironment = {} } = options;
  const interpreters = options.interpreters ?? createPythonInterpreters({ python: options.python, environment: commonEnvironment });
  let prefix: Promise<readonly string[]> | null = null;
  const parentDeath = (): Promise<readonly string[]> => (prefix ??= findParentDeathPrefix());

  let noNetwork: Promise<readonly string[]> | null = null;
  /** The command prefix that denies the network; empty if the extension may use it, or it cannot be denied. */
  const withoutNetwork = async (extension: string): Promise<readonly string[]> =>
    options.permissionsOf === undefined || options.permissionsOf(extension).includes('net') ? [] : (noNetwork ??= findNoNetworkPrefix());

  const settings: Omit<PythonProcessSettings, 'interpreter' | 'prefix'> = {
    memoryMb: limits.extensionMemoryMb,
    maxResultBytes: limits.maxResultBytes,
    workspaceRoot,
    environment: commonEnvironment,
  };
  const forks = createPythonForks({
    commandOf: (interpreter) => [interpreter, ...FLAGS, PROGRAM, String(limits.extensionMemoryMb), 'fork-server'],
    environment: withoutStartOptions(commonEnvironment),
    limits: frameLimits(limits.maxResultBytes),
    orphans: options.orphans,
  });

  /** Without the network it cannot be a copy of a process that has one. */
  const startProcess = async (interpreter: ForkInterpreter, cut: readonly string[] = []): Promise<FramedProcess> => {
    const prefix = [...cut, ...(await parentDeath())];
    return extensions.launchLater(async (mark) => {
      const forked = cut.length > 0 ? null : await forks.start(interpreter, mark, workingDirectoryOf(workspaceRoot));
      return forked ?? startPythonProcess({ ...settings, interpreter: interpreter.program, prefix }, mark);
    }, true);
  };

  // If it cannot be started, the next load fails with the same error and reports it.
  const prewarmed = createPrewarmedPython(async (interpreter) =>
    extensions.isShort() ? null : startProcess(interpreter).catch(() => null),
  );
  let replenishing: NodeJS.Timeout | null = null;
  const replenishSoon = (interpreter: ForkInterpreter): void => {
    replenishing ??= setTimeout(() => {
      replenishing = null;
      if (!extensions.closing.aborted) void prewarmed.replenish(interpreter);
    }, REPLENISH_AFTER_MS);
  };

  const guard = createSchemaGuard({
    cacheDir: options.cacheDir,
    start: async (childProgram) => {
      const guarded = { ...settings, childProgram, prefix: await parentDeath(), environment: {} };
      return extensions.launch((mark) => startNodeProcess(guarded, [`--allow-fs-read=${dirname(childProgram)}`], mark), false, true);
    },
  });

  const start: RunningExtensionsOptions['start'] = async (artifact, describe, log, signal, onLoaded) => {
    const found = await interpreters.find(artifact.folder, artifact.environment);
    if (!found.ok) return { ok: false, failure: { file: artifact.entryFile, ...found.failure } };
    const cut = await withoutNetwork(artifact.extension);
    const taken = cut.length === 0 ? prewarmed.take(found.program) : null;
    let process: FramedProcess;
    try {
      process = taken?.process ?? (await startProcess(found, cut));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { ok: false, failure: { code: 'spawn_failed', message: `Its process could not be prepared: ${why}` } };
    }
    let raw: RawDescription | null = null;
    const outcome = await loadInProcess({
      process,
      isWarm: taken?.isReady ?? false,
      message: { ...loadMessage(artifact, describe, options), mustNotHave: cut.length === 0 ? [] : [['net']] },
      entryFile: artifact.entryFile,
      describe: typeof describe !== 'function' ? describe : (described) => describe((raw = described)),
      onLoaded,
      log,
      runtime: options,
      signal,
    }).finally(() => {
      if (options.prewarms !== false && !found.isOwn) replenishSoon(found);
    });
    if (!outcome.ok)
      return {
        ok: false,
        failure: outcome.failure ?? { code: 'spawn_failed', message: 'The process stopped before it ran the extension' },
      };
    const fault = raw === null ? null : await inspectSchemas(outcome.description, raw);
    if (fault === null) return { ...outcome, loaded: createCheckedProcess(outcome.loaded, outcome.description, guard) };
    outcome.loaded.kill();
    return { ok: false, failure: fault };
  };

  const extensions = createRunningExtensions({ ...runningOptions(options), endPrewarmed: prewarmed.discard, start });

  /** Returns the first invalid schema. */
  async function inspectSchemas({ tools }: ExtensionDescription, raw: RawDescription): Promise<RawFailure | null> {
    const inspected = tools.flatMap((tool, at) =>
      (
        [
          ['parameters', tool.parameters],
          ['output_schema', tool.outputSchema],
        ] as const
      ).map(async ([field, schema]) => {
        const fault = schema === null ? null : await guard.inspect(JSON.stringify(schema));
        if (fault?.isUnchecked === true) return { code: 'spawn_failed' as const, message: `Its schemas ${fault.message}` };
        const subject = Object.hasOwn(raw.values, 'TOOLS') ? ['TOOLS', at] : ['TOOL'];
        return fault === null ? null : locateInPython(invalidSchema(tool.name, subject, field, fault), raw);
      }),
    );
    return (await Promise.all(inspected)).find((fault) => fault !== null) ?? null;
  }

  return {
    kind: 'python',
    makeSpace: extensions.makeSpace,
    load: (artifact, loadOptions) => extensions.load(artifact, loadOptions),
    revive: (artifact, description, reviveOptions) => extensions.revive(artifact, description, reviveOptions),
    prepare(folders) {
      if (folders.length === 0 || extensions.closing.aborted) return;
      guard.prepare();
    },
    async close() {
      if (replenishing !== null) clearTimeout(replenishing);
      await extensions.close(() => guard.close());
      // Until then the exit status of its processes is known.
      await forks.close();
    },
  };
}

/** Start options of every Python process of this runtime. */
interface PythonProcessSettings {
  readonly interpreter: string;
  readonly prefix: readonly string[];
  readonly memoryMb: number;
  readonly maxResultBytes: number;
  readonly workspaceRoot: string;
  /** Common to all extensions; an extension's own variables are in the load message. */
  readonly environment: Readonly<Record<string, string>>;
}

const PROGRAM = fileURLToPath(new URL('./children/python/main.py', import.meta.url));
/** Isolated from the environment and the user's packages; writes nothing beside the sources. */
const FLAGS = ['-I', '-B', '-X', 'utf8'];

/** Starts a Python process that waits for its load message. */
function startPythonProcess(settings: PythonProcessSettings, mark: OwnerMark): FramedProcess {
  const { interpreter } = settings;
  const [first, ...rest] = [...mark.prefix, ...settings.prefix, interpreter, ...FLAGS, PROGRAM, String(settings.memoryMb)];
  return startFramedProcess({
    command: [first ?? interpreter, ...rest],
    environment: { ...withoutStartOptions(settings.environment), ...mark.environment },
    workingDirectory: workingDirectoryOf(settings.workspaceRoot),
    limits: frameLimits(settings.maxResultBytes),
  });
}

function workingDirectoryOf(workspaceRoot: string): string {
  return existsSync(workspaceRoot) ? workspaceRoot : '/';
}

/**
 * One prewarmed Python process that has imported nothing of any extension, so that a save does not wait for a start. It holds no
 * secrets: only the common environment.
 *
 * What can go wrong: it dies while waiting (discarded; the next load starts a new one, never a loop), or another interpreter is
 * needed (it keeps waiting, and the load starts its own process).
 */
interface PrewarmedPython {
  /** Null if none matches. */
  take(interpreter: string): { readonly process: FramedProcess; readonly isReady: boolean } | null;
  /** Starts the next one if there is none; called after a load, so as not to slow it. */
  replenish(interpreter: ForkInterpreter): Promise<void>;
  discard(): void;
}

function createPrewarmedPython(start: (interpreter: ForkInterpreter) => Promise<FramedProcess | null>): PrewarmedPython {
  let prewarmed: { readonly process: FramedProcess; readonly interpreter: string; isReady: boolean } | null = null;
  let isStarting = false;
  return {
    take(interpreter) {
      if (prewarmed?.interpreter !== interpreter) return null;
      const taken = prewarmed;
      prewarmed = null;
      return taken;
    },
    discard() {
      prewarmed?.process.kill('unwanted');
      prewarmed = null;
    },
    async replenish(interpreter) {
      if (prewarmed !== null || isStarting) return;
      isStarting = true;
      const process = await start(interpreter);
      isStarting = false;
      if (process === null) return;
      const next = { process, interpreter: interpreter.program, isReady: false };
      prewarmed = next;
      process.listen({
        onMessage(message) {
          if (message.type === 'hello') next.isReady = true;
        },
        onEnd() {
          if (prewarmed === next) prewarmed = null;
        },
        onOutput: () => undefined,
        isAtWork: () => !next.isReady,
      });
    },
  };
}

/**
 * A process whose language has no JSON Schema validator: arguments are validated and completed with defaults before the call,
 * results with a schema after it. To its owner it is an ordinary loaded process.
 */
function createCheckedProcess(loaded: LoadedProcess, description: ExtensionDescription, guard: SchemaGuard): LoadedProcess {
  const schemas = description.tools.map((tool) => ({
    parameters: JSON.stringify(tool.parameters),
    result: tool.outputSchema === null ? null : JSON.stringify(tool.outputSchema),
  }));
  const carried = new WeakMap<PendingCall, PendingCall>();

  const withCheckedResult = (call: PendingCall, schema: string | null): PendingCall => ({
    tool: call.tool,
    hooks: call.hooks,
    isSettled: call.isSettled,
    progress: call.progress,
    waitFor: call.waitFor,
    awaitsAnswer: call.awaitsAnswer,
    settle(outcome) {
      carried.delete(call);
      if (schema === null || outcome.status !== 'succeeded') return call.settle(outcome);
      void guard.check(schema, 'result', outcome.resultText).then((checked) => {
        call.settle(checked.ok ? outcome : { status: 'failed', error: checked.error });
      });
    },
  });

  return {
    ...loaded,
    begin(call, tool, argsText) {
      const schema = schemas[tool];
      if (schema === undefined) return loaded.begin(call, tool, argsText);
      void guard.check(schema.parameters, 'arguments', argsText).then((checked) => {
        if (call.isSettled()) return;
        if (!checked.ok) return call.settle({ status: 'failed', error: checked.error });
        const carrier = withCheckedResult(call, schema.result);
        carried.set(call, carrier);
        loaded.begin(carrier, tool, checked.text);
      });
    },
    async validate(tool, argsText) {
      const schema = schemas[tool];
      if (schema === undefined) return null;
      const checked = await guard.check(schema.parameters, 'arguments', argsText);
      if (checked.ok) return [];
      return checked.error.issues ?? [{ path: '', keyword: 'unavailable', message: checked.error.message }];
    },
    abandon(call, reason) {
      const carrier = carried.get(call);
      carried.delete(call);
      if (carrier !== undefined) loaded.abandon(carrier, reason);
    },
  };
}
