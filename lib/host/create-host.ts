import path from 'node:path';
import { LIMITS } from '#lib/contract/limits.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import type { ExtensionState } from '#lib/contract/extension.ts';
import type { Tracer } from '#lib/contract/tracing.ts';
import { createCallService } from '#lib/calls/call-service.ts';
import { createRedactor } from '#lib/calls/redact.ts';
import { createKnownSecrets } from '#lib/contract/known-secrets.ts';
import type { KnownSecrets } from '#lib/contract/known-secrets.ts';
import { hideSecretTexts } from '#lib/contract/secret-texts.ts';
import { createIdempotentCalls } from '#lib/calls/idempotent-calls.ts';
import { createDependencies } from '#lib/dependencies/dependencies.ts';
import { installerEnvironment } from '#lib/dependencies/run-installer.ts';
import { createBuilder } from '#lib/loader/builder.ts';
import { createBuilders } from '#lib/loader/build.ts';
import { createExtensionLoader } from '#lib/loader/extension-loader.ts';
import { createPythonBuilder } from '#lib/loader/python-builder.ts';
import { createServerBuilder } from '#lib/loader/server-builder.ts';
import type { EventLog } from '#lib/registry/event-log.ts';
import { createEventLog } from '#lib/registry/event-log.ts';
import { createSharedEventLog } from '#lib/instances/shared-event-log.ts';
import { createExtensionStates } from '#lib/instances/extension-states.ts';
import { createSharedFolder } from '#lib/instances/shared-folder.ts';
import { readOrMakeSecret } from '#lib/accounts/auth-secret.ts';
import type { InstanceReport } from '#lib/store/instance-store.ts';
import { createRegistry } from '#lib/registry/snapshot.ts';
import { findParentDeathPrefix } from '#lib/runtime/parent-death.ts';
import { createPythonInterpreters } from '#lib/runtime/python-interpreter.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import type { StorageHealth } from '#lib/store/store.ts';
import { auditCalls } from './audit-calls.ts';
import { compareRevisions, createRevisionRunners } from './revision-runners.ts';
import type { HostConfig } from './config.ts';
import { permissionsOf } from './config.ts';
import { createExtensionActions, createReloads, runFirstLoad, unknownExtension } from './extension-actions.ts';
import { createExtensionDependencies } from './extension-dependencies.ts';
import { createExtensionDetail, createExtensionList, createExtensionViews } from './extension-detail.ts';
import { commonEnvironment, extensionEnvironment } from './extension-environment.ts';
import { createExtensionReports } from './extension-reports.ts';
import { createFailureEnvironments } from './failure-environment.ts';
import { createHostFailures } from './host-failures.ts';
import type { Actor, Host, HostHealth } from './host.ts';
import { createHostCalls, createHostSnapshots, createHostTools, currentTool, logEndedCall } from './host-calls.ts';
import { createHostChannels } from './host-channels.ts';
import { createHostProbes } from './host-probes.ts';
import { createHostRequiredChecks, createHostSavedCalls } from './host-saved-calls.ts';
import { createHostSecrets, openSecretStore } from './host-secrets.ts';
import { createHostToolsets } from './host-toolsets.ts';
import { createHostServerList, createServerTest } from './host-server-list.ts';
import { createHostServers } from './host-servers.ts';
import { describeHealth, createIsolationReport } from './host-health.ts';
import { createHostMetrics } from './host-metrics.ts';
import type { Logger } from './logger.ts';
import { openDataFolder, endInterruptedCalls } from './open-data-folder.ts';
import { createHostInstances, joinInstances, openAccounts, reportInstance } from './join-instances.ts';
import { createMaintenance } from './maintenance.ts';
import { createHostSignIns } from './host-sign-ins.ts';
import { createRuntimes } from './create-runtimes.ts';
import { createConflictSettling, createHostConflicts } from './file-conflicts.ts';
import { createSharedActions } from './shared-actions.ts';
import { createSourceFiles } from './source-files.ts';
import { createSourceUndo } from './source-undo.ts';
import { secretsOfConfig, secretVariables } from './secret-values.ts';

export type CreateHost = { readonly ok: true; readonly host: Host } | { readonly ok: false; readonly reason: string };

export interface CreateHostOptions {
  /** Channels are loaded and described, but neither receive nor send. */
  readonly channelsOff?: boolean;
  /** Whether processes wait for the next loads; by default they do. Off: for hosts with few loads. */
  readonly prewarms?: boolean | undefined;
  /** Null: tracing is off. */
  readonly tracer?: Tracer | null;
  /** Folder for the programs of processes, by default `DATA_DIR/programs`; several hosts may share it. */
  readonly programsDir?: string | undefined;
  /** Folder for installed dependencies, by default `DATA_DIR/environments`; several hosts may share it. */
  readonly environmentsDir?: string | undefined;
  /** Version of this program, for the list of instances. */
  readonly version?: string;
  /** Values to redact everywhere; the host adds more. */
  readonly secrets?: KnownSecrets;
}

/** Reported before a statement fails, because a statement may wait for a long time. */
const CUT_OFF: StorageHealth = {
  ok: false,
  isAway: true,
  reason: 'The database has not answered for several seconds. Switchboard retries automatically.',
};

/** The host's own modules; children can read only the author module and the packages. */
const PROGRAM_ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Creates every owner of state (database, event log, runtimes, loader, calls) in order of dependency, and closes them
 * in reverse order: no new calls, running calls drained, children ended, events numbered, database last.
 */
export async function createHost(
  config: HostConfig,
  logger: Logger,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  options: CreateHostOptions = {},
): Promise<CreateHost> {
  const authorSource = path.join(PROGRAM_ROOT, 'lib/runtime/children/author-module.ts');
  const opened = await openDataFolder(config, authorSource, options.programsDir, options.environmentsDir);
  if (!opened.ok) return opened;
  const { claim, store, sealer, artifactsDir, cacheDir, environmentsDir, authorModule } = opened;
  await endInterruptedCalls(store, logger);
  const team = config.team === null ? null : { ...config.team, secret: config.team.secret ?? readOrMakeSecret(config.dataDir) };
  const startedAt = performance.now();
  let state: HostHealth['status'] = 'starting';
  let isDraining = false;
  const { tracer = null, secrets = createKnownSecrets() } = options;
  const redactor = createRedactor(secrets);
  let describeInstance = (): InstanceReport => ({ state: 'starting', ready: 0, failed: 0, callsRunning: 0 });
  const joined = await joinInstances({
    id: config.instanceId,
    store,
    version: options.version ?? '0.0.0',
    team,
    sealer: config.secretsKeys.length === 0 ? null : sealer,
    logger,
    describe: () => describeInstance(),
    // Calls of other servers were ended without an event.
    onGone: () => events.publish('host.resync', { snapshot_version: registry.current().version }),
    onChanged: () => events.publish('instance.changed', { snapshot_version: registry.current().version }),
  });
  if (!joined.ok) {
    await store.close();
    claim.release();
    return joined;
  }
  const { instances } = joined;
  const accounts = team === null ? null : await openAccounts(team, config, store, instances, logger);
  const log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void => logger[level](message, fields);
  const onListenerError = (error: unknown): void => logger.error('an event listener failed', { error });
  const events: EventLog = await (store.shared === null
    ? createEventLog({
        reserve: (count) => store.reserveEventIds(count),
        release: (next, end) => store.releaseEventIds(next, end),
        onListenerError,
      })
    : createSharedEventLog({ shared: store.shared, instance: instances.id, onListenerError }));
  const folder =
    store.shared === null
      ? null
      : createSharedFolder({
          shared: store.shared,
          extensionsDir: config.extensionsDir,
          stateFile: path.join(config.dataDir, 'shared-files.json'),
          instances,
          onConflicts: () => events.publish('snapshot.changed', { snapshot_version: registry.current().version }),
          isWatched: () => loader.watcher.state().mode === 'native',
          log,
        });
  const registry = createRegistry<RunningExtension>((await store.snapshots.latest())?.record.version ?? 0);
  const common = commonEnvironment(environment, config.extensionEnv);
  secrets.learn([...secretsOfConfig(config), ...secretVariables(common)]);
  const named = await openSecretStore(store.secrets, sealer, secrets, logger);
  const granted = (id: string): readonly string[] => permissionsOf(id, config.extensionAllow);
  const signIns = createHostSignIns({
    repository: store.serverSignIns,
    sealer,
    learn: secrets.learn,
    log,
    logger,
    events,
    variablesOf: ({ folder, secrets: names = [] }) => ({
      variables: { ...extensionEnvironment(common, folder), WORKSPACE_ROOT: config.workspaceRoot },
      secrets: named.valuesOf(names),
    }),
    exists: (id) => registry.current().entries.has(id),
    failureOf: (id) => registry.current().entries.get(id)?.extension.failure?.code ?? null,
    reload: (id, actor) => loader.reload([id], { kind: 'reload', actor, files: [] }),
  });
  const interpreters = createPythonInterpreters({ python: config.python, environment: common });
  const dependencies = await createDependencies({
    mode: config.dependencies,
    sources: config.dependencySources,
    extensionsDir: config.extensionsDir,
    environmentsDir,
    environment: installerEnvironment(environment),
    prefix: findParentDeathPrefix,
    python: async () => {
      const found = await interpreters.find(null);
      return found.ok ? found : null;
    },
    hideSecrets: (text) => hideSecretTexts(text, secrets),
    changed: (ids, status) => ids.forEach((extension) => events.publish('dependencies.changed', { ...version(), extension, status })),
    async ended(ids, { automatic, actor }) {
      const cause: SnapshotCause = { kind: automatic ? 'recovery' : 'reload', actor, files: [] };
      await loader.reload(ids, cause, true).catch((error: unknown) => logger.warn('could not load extensions after an install', { error }));
    },
    log,
  });
  const version = (): { snapshot_version: number } => ({ snapshot_version: registry.current().version });
  const runtimes = createRuntimes({
    config,
    logger,
    granted,
    common,
    programRoot: PROGRAM_ROOT,
    environmentsDir,
    programDir: artifactsDir,
    cacheDir,
    secrets,
    named,
    signIns,
    prewarms: options.prewarms,
    interpreters,
  });
  const builder = createBuilders({
    node: createBuilder({ extensionsDir: config.extensionsDir, artifactsDir, authorModule, environments: dependencies }),
    python: createPythonBuilder({ extensionsDir: config.extensionsDir, artifactsDir, environments: dependencies }),
    mcp: createServerBuilder({ extensionsDir: config.extensionsDir, artifactsDir, environments: dependencies }),
  });
  const checks = await createHostRequiredChecks(config, cacheDir, store, redactor);
  const loader = createExtensionLoader({
    extensionsDir: config.extensionsDir,
    keepLastGood: config.keepLastGood,
    excludedExtensions: config.excludedExtensions,
    excludedTools: config.excludedTools,
    drainMs: LIMITS.drainMs,
    watch: config.watch,
    builder,
    runtimes: runtimes.all,
    store,
    registry,
    checks: checks.required,
    peers: { instance: instances.id, others: instances.others, isFromOthers: (files) => folder?.isFromOthers(files) === true },
    permissionsOf: granted,
    hasSecrets: (names) => names.every(named.has),
    ...createFailureEnvironments({
      interpreters,
      environmentOf: (folder) => extensionEnvironment(common, folder),
      permissionsOf: granted,
    }),
    tracer,
    hideSecrets: (text) => hideSecretTexts(text, secrets),
    // Polling requests a scan without a known change.
    filesChanged: (files) => folder?.look(files.length === 0 ? undefined : files),
    callsInFlight: () => calls.inFlight(),
    crashed: (id) => metrics.extensionCrashed(id),
    serverNotice: (notice) => servers.noticed(notice),
    publish: (type, data) => events.publish(type, data),
    log,
  });
  const metrics = createHostMetrics({
    events,
    stateOf: (id) => registry.current().entries.get(id)?.extension.state ?? null,
    now: async () => ({
      snapshotVersion: registry.current().version,
      extensions: views.list(),
      tools: [...registry.current().tools.values()].map(currentTool),
      channels: await channels.own(),
      failures: await failures.counts(),
      calls: { inFlight: calls.inFlight(), waiting: calls.waiting() },
      removed: maintenance.removed(),
      spans: tracer?.counts() ?? null,
    }),
  });
  const servers = createHostServers(registry, events, config.callTimeoutMs);
  const runners = createRevisionRunners(loader, LIMITS.drainMs);
  const calls = createCallService({
    instances,
    registry,
    store,
    callTimeoutMs: config.callTimeoutMs,
    redactor,
    publish: (type, data) => events.publish(type, data),
    tracer,
    ended(call) {
      metrics.callEnded(call);
      if (config.logLevel === 'debug') logEndedCall(logger, call);
    },
    endRefused: (call_id, tool, error) =>
      logger.warn('the end of a call cannot be written; Switchboard retries every second, then answers the call', {
        call_id,
        tool,
        error,
      }),
    refused: metrics.callRefused,
    runningOn: (extension, revision) => runners.runningOn(extension, revision),
    async servedBy(extension) {
      const others = (await states?.ofOthers(extension).catch(() => [])) ?? [];
      return others.filter(({ servingRevision }) => servingRevision !== null).map((one) => one.instance);
    },
  });

  const idempotent = createIdempotentCalls({
    calls,
    keys: store.idempotency,
    newestAtStart: await store.calls.newestId(),
    instances,
  });
  const maintenance = createMaintenance({
    instances,
    store,
    kept: config.kept,
    idempotent,
    artifactsDir,
    dependencies: options.environmentsDir === undefined ? dependencies : null,
    logger,
  });
  const savedCalls = createHostSavedCalls({
    ...checks,
    loader,
    logger,
    calls,
    redactor,
    idempotent,
    store,
    registry,
    instances,
    publish: (type, data) => events.publish(type, data),
  });

  const views = createExtensionViews(loader.state, registry);
  const states =
    store.shared === null
      ? null
      : createExtensionStates({
          shared: store.shared,
          server: instances,
          current: () => [...registry.current().entries.values()].map(({ extension }) => extension),
          follow: registry.follow,
          onLacking: loader.learn,
        });
  const reports = createExtensionReports({ config, environment, common, views });
  const failures = createHostFailures({ store, registry, events, instances, logger, isTeam: accounts !== null });
  accounts?.onEnded((ended) => {
    if (ended.kind === 'member') failures.endSession(ended.sessionId);
  });
  const reloads = createReloads(loader, registry);
  const isolation = createIsolationReport();
  const channels = await createHostChannels({
    config,
    store,
    instances,
    registry,
    calls,
    redactor,
    logger,
    areOff: options.channelsOff === true,
    publish: (type, data) => events.publish(type, data),
  });
  const localActions = createExtensionActions(loader, views.show, channels.connectNow);
  const sharedActions = createSharedActions({ actions: localActions, instances, loader, store, logger });
  const { actions } = sharedActions;
  const extensionStates = (): ExtensionState[] => [...registry.current().entries.values()].map((entry) => entry.extension.state);
  describeInstance = () => reportInstance(isDraining ? 'stopping' : state, extensionStates(), calls.inFlight());
  const ready = (folder?.start() ?? Promise.resolve())
    .then(() => runFirstLoad(loader, { isRetried: () => store.shared !== null && state !== 'stopping', logger }))
    .then(() => {
      if (state === 'starting') state = 'ok';
      instances.report();
      maintenance.sweep();
    });

  async function close(drainMs: number): Promise<void> {
    state = 'stopping';
    instances.report();
    reports.close();
    servers.close();
    signIns.close();
    await maintenance.close();
    failures.close();
    await channels.stop();
    await calls.close(drainMs);
    await channels.settled();
    sharedActions.close();
    await Promise.all([folder?.close(), states?.close()]);
    await dependencies.close();
    await Promise.all([runners.close(), loader.close(), checks.close()]);
    await runtimes.close();
    metrics.close();
    await events.close();
    await accounts?.close();
    await instances.close();
    await store.close();
    claim.release();
  }
  let closing: Promise<void> | null = null;

  const tools = createHostTools(registry);
  const hostSecrets = createHostSecrets(
    named,
    loader,
    (folder) => extensionEnvironment(common, folder),
    () => instances.notify('secrets'),
  );
  const toolsets = await createHostToolsets(store.toolsets, tools, (isOwn) => {
    if (isOwn) instances.notify('toolsets');
    events.publish('snapshot.changed', { snapshot_version: registry.current().version });
  });
  instances.onNotice('secrets', () => {
    hostSecrets.refresh().catch((error: unknown) => logger.warn('changed secrets could not be read', { error }));
  });
  instances.onNotice('toolsets', () => {
    toolsets.refresh().catch((error: unknown) => logger.warn('changed toolsets could not be read', { error }));
  });
  const hostCalls = createHostCalls(calls, idempotent);
  if (accounts !== null) {
    const onError = (error: unknown): void => logger.warn('a call could not be added to the audit log', { error });
    auditCalls({ events, tool: tools.get, call: hostCalls.get, accounts, onError });
  }
  const place = { extensionsDir: config.extensionsDir, readOnly: config.readOnlyExtensions };
  const sources = createSourceFiles({
    ...place,
    save: loader.save,
    expect: (saves, actor) => folder?.expect(saves, actor),
  });

  const list = createExtensionList(() => registry.current().version, loader.watcher.state, loader.progress, views);
  const serverList = createHostServerList({
    sources,
    readOnly: config.readOnlyExtensions,
    extensions: list,
    secrets: named,
    test: createServerTest({
      runtime: runtimes.ofServers,
      extensionsDir: config.extensionsDir,
      programsDir: artifactsDir,
      hideSecrets: (text) => hideSecretTexts(text, secrets),
    }),
  });

  const conflicts = createHostConflicts(folder, loader.state.slots, config.extensionsDir);
  return {
    ok: true,
    host: {
      config,
      logger,
      ready,
      extensions: {
        list,
        get: createExtensionDetail(store, config.extensionsDir, views, redactor, { folder, states, instances }),
        compare: async (id, pair) => (views.entryFor(id) === undefined ? unknownExtension(id) : compareRevisions(id, pair, store, runners)),
        reload(ids, actor: Actor) {
          dependencies.forgetFailures(ids);
          sharedActions.reloaded(ids);
          return reloads.reload(ids, actor.name);
        },
        settleConflict: createConflictSettling(conflicts, views.show),
        testWatching: () => loader.watcher.test(),
        ...actions,
        ...reports.host,
        ...createExtensionDependencies(
          { extensionsDir: config.extensionsDir, slots: loader.state.slots },
          dependencies,
          sources,
          instances,
        ),
        ...createSourceUndo({ ...place, slots: loader.state.slots, revisions: store.revisions, sources }),
      },
      tools,
      calls: hostCalls,
      probes: createHostProbes(tools, hostCalls, reports.host),
      savedCalls,
      failures,
      channels: channels.host,
      servers: servers.host,
      signIns: signIns.host,
      serverList,
      toolsets: toolsets.host,
      secrets: hostSecrets.host,
      sources,
      accounts,
      snapshots: createHostSnapshots(store.snapshots, () => registry.current().version),
      conflicts,
      instances: createHostInstances(instances, () => {
        isDraining = true;
        instances.report();
      }),
      events,
      metrics: metrics.text,
      health: () =>
        describeHealth({
          state,
          snapshotVersion: registry.current().version,
          extensions: extensionStates(),
          storage: instances.isCutOff() ? CUT_OFF : store.health(),
          unwrittenEnds: calls.unwrittenEnds(),
          folderProblem: loader.folderProblem()?.reason ?? null,
          isBlind: loader.watcher.state().mode === 'blind',
          isolation: isolation.current(),
          lacking: states?.lacking() ?? [],
          uptimeMs: performance.now() - startedAt,
        }),
      close: (drainMs = LIMITS.drainMs) => (closing ??= close(drainMs)),
    },
  };
}
