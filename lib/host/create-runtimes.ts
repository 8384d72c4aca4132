import path from 'node:path';
import { secretMissing } from '#lib/contract/names.ts';
import type { KnownSecrets } from '#lib/contract/known-secrets.ts';
import { hideSecretTexts } from '#lib/contract/secret-texts.ts';
import { createCrashBreaker } from '#lib/runtime/crash-breaker.ts';
import { createMcpRuntime } from '#lib/runtime/mcp-runtime.ts';
import { besideWorkspace } from '#lib/runtime/node-grants.ts';
import { createNodeRuntime } from '#lib/runtime/node-runtime.ts';
import { createOrphanGuard } from '#lib/runtime/orphan-guard.ts';
import { createProcessSpace } from '#lib/runtime/running-extensions.ts';
import { createPythonRuntime } from '#lib/runtime/python-runtime.ts';
import type { PythonInterpreters } from '#lib/runtime/python-interpreter.ts';
import type { Artifact, Runtime } from '#lib/runtime/runtime.ts';
import type { HostConfig } from './config.ts';
import { extensionEnvironment, ownEnvironment } from './extension-environment.ts';
import type { RunningHostSignIns } from './host-sign-ins.ts';
import type { SecretStore } from './host-secrets.ts';
import type { Logger } from './logger.ts';
import { secretsOfServer, secretSettings } from './secret-values.ts';

/** The runtimes of extensions, and the guard that ends orphaned processes. */
export interface Runtimes {
  readonly all: readonly Runtime[];
  /** The runtime of MCP servers, which is also in the list. */
  readonly ofServers: Runtime;
  /** Once the runtimes are closed: resolves when none of their processes is left. */
  close(): Promise<void>;
}

export interface RuntimesOptions {
  readonly config: HostConfig;
  readonly logger: Logger;
  readonly granted: (extension: string) => readonly string[];
  /** Environment variables that all extensions see. */
  readonly common: Readonly<Record<string, string>>;
  /** The program's folder: children can read its packages. */
  readonly programRoot: string;
  /** Installed dependencies. */
  readonly environmentsDir: string;
  readonly programDir: string;
  readonly cacheDir: string;
  /** Registers the secrets passed to extensions. */
  readonly secrets: KnownSecrets;
  /** Each extension gets only the secrets that it names. */
  readonly named: Pick<SecretStore, 'valuesOf' | 'has'>;
  /** Sign-ins at MCP servers. */
  readonly signIns: Pick<RunningHostSignIns, 'notice' | 'token'>;
  readonly prewarms: boolean | undefined;
  readonly interpreters: PythonInterpreters;
}

/** This host must own the data folder: processes of an earlier host are ended. */
export function createRuntimes({
  config,
  logger,
  granted,
  common,
  programRoot,
  environmentsDir,
  programDir,
  cacheDir,
  secrets,
  named,
  signIns,
  prewarms,
  interpreters,
}: RuntimesOptions): Runtimes {
  const orphans = createOrphanGuard({ dataDir: config.dataDir });
  orphans.sweepEarlier().then(
    (count) => {
      if (count > 0) logger.warn(`ended ${count} processes that extensions of the last server left running`);
    },
    (error: unknown) => logger.warn('could not search for processes of the last server', { error }),
  );
  const beside = besideWorkspace(config.workspaceRoot, [config.extensionsDir, config.dataDir, programRoot]);
  if (beside !== null)
    logger.warn(
      `Node cannot grant WORKSPACE_ROOT (${config.workspaceRoot}) itself, only the files in it, because the path ${beside} begins with the same name. run_shell_command and listings of WORKSPACE_ROOT fail. Rename one of the two folders.`,
    );
  const alike = {
    limits: { loadTimeoutMs: config.loadTimeoutMs, maxResultBytes: config.maxResultBytes, extensionMemoryMb: config.extensionMemoryMb },
    environmentOf(artifact: Artifact) {
      secrets.learn(secretSettings(ownEnvironment(artifact.folder)));
      const variables = { ...extensionEnvironment(common, artifact.folder), ...named.valuesOf(artifact.secrets ?? []) };
      return withInstalled(variables, artifact.environment);
    },
    refusal({ secrets: names = [], folder }: Artifact) {
      if (names.length === 0) return null;
      const variables = extensionEnvironment(common, folder);
      const missing = names.find((name) => !named.has(name) && !Object.hasOwn(variables, name));
      return missing === undefined ? null : { code: 'config_missing' as const, ...secretMissing(missing), subject: ['SECRETS'] };
    },
    hideSecrets: (text: string) => hideSecretTexts(text, secrets),
    commonEnvironment: common,
    workspaceRoot: config.workspaceRoot,
    cacheDir,
    orphans,
    breaker: createCrashBreaker(),
    space: createProcessSpace((reason) =>
      logger.warn(`starts of processes wait, and unused processes end: ${reason}. Raise the limits of processes, open files or memory`),
    ),
  };
  const ofServers = createMcpRuntime({
    ...alike,
    environmentOf(artifact) {
      secrets.learn(secretSettings(ownEnvironment(artifact.folder)));
      const environment = withInstalled(extensionEnvironment(common, artifact.folder), artifact.environment);
      const variables = { ...environment, WORKSPACE_ROOT: config.workspaceRoot };
      secrets.learn(secretsOfServer(artifact.programFile, variables, named.valuesOf(artifact.secrets ?? [])));
      return environment;
    },
    secretsOf: (artifact) => named.valuesOf(artifact.secrets ?? []),
    idleMs: config.extensionIdleMs,
    token: signIns.token,
    notice: signIns.notice,
  });
  return {
    ofServers,
    all: [
      createNodeRuntime({
        ...alike,
        idleMs: config.extensionIdleMs,
        prewarms,
        permissionsOf: granted,
        nodeModulesDirs: [...packageFolders(programRoot, config.extensionsDir), environmentsDir],
        programDir,
      }),
      createPythonRuntime({
        ...alike,
        idleMs: config.extensionIdleMs,
        prewarms,
        permissionsOf: granted,
        python: config.python,
        interpreters,
      }),
      ofServers,
    ],
    close: () => orphans.close(),
  };
}

/** Programs of its dependencies come first on the path. */
function withInstalled(variables: Record<string, string>, environment: string | undefined): Record<string, string> {
  if (environment === undefined) return variables;
  const programs = [path.join(environment, 'bin'), path.join(environment, 'node_modules', '.bin')];
  return { ...variables, PATH: [...programs, variables['PATH'] ?? ''].join(path.delimiter) };
}

/**
 * The program's packages, and every `node_modules` that a file in this folder can import from, by Node's lookup rule.
 */
function packageFolders(programRoot: string, from: string): string[] {
  const folders = [path.join(programRoot, 'node_modules')];
  for (let folder = from; ; folder = path.dirname(folder)) {
    folders.push(path.join(folder, 'node_modules'));
    if (path.dirname(folder) === folder) return [...new Set(folders)];
  }
}
