import { once } from 'node:events';
import type { HostEvent } from '#lib/contract/events.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { HostConfig } from '#lib/host/config.ts';
import type { Host, ToolCallRequest } from '#lib/host/host.ts';
import { createMcpEndpoint } from '#lib/mcp/mcp-endpoint.ts';
import { createHttpServer } from '#lib/api/node/http-server.ts';
import type { HttpServer } from '#lib/api/node/http-server.ts';
import { createLogger } from '#lib/host/logger.ts';
import { runningCallRecord, toolRecord } from '#lib/testing/api-records.ts';

/** A host with one tool, `echo`, and an event log in memory, for tests of the HTTP module. */
export interface FakeHost {
  readonly host: Host;
  readonly started: ToolCallRequest[];
  publish(count: number): void;
  /** Events with ids up to this one are dropped. */
  forget(id: number): void;
  subscribers(): number;
}

const NOT_TESTED = { result: 'not_run', reason: null, at: null, duration_ms: null } as const;
const UNWATCHED = { mode: 'off', reason: null, self_test: NOT_TESTED } as const;
const NO_FAILURES = { open: 0, acknowledged: 0, ignored: 0, resolved: 0 };

export function createFakeHost(config: HostConfig): FakeHost {
  const logger = createLogger({ write: () => undefined, readable: false });
  const started: ToolCallRequest[] = [];
  let kept: HostEvent[] = [];
  let lastId = 0;
  let forgotten = 0;
  const listeners = new Set<(event: HostEvent) => void>();
  const noFailure = () => refuse('failure_not_found', 'There are no failures in this host.');
  const noSavedCall = () => refuse('saved_call_not_found', 'There are no saved calls in this host.');
  const noChannel = () => refuse('channel_not_found', 'There are no channels in this host.');
  const noSource = async () => refuse('source_not_found', 'There are no files in this host.');
  const noToolset = () => refuse('toolset_not_found', 'There are no toolsets in this host.');
  const noServer = async () => refuse('server_not_found', 'There are no servers in this host.');
  const absent = async () => refuse('extension_not_found', 'There are no extensions in this host.');

  const host: Host = {
    config,
    logger,
    ready: Promise.resolve(),
    extensions: {
      list: () => ({ version: 1, watch: UNWATCHED, loading: null, extensions: [] }),
      compare: absent,
      planUndo: absent,
      undo: absent,
      get: absent,
      reload: absent,
      testWatching: async () => UNWATCHED,
      settleConflict: absent,
      restart: absent,
      disable: absent,
      enable: absent,
      rollback: absent,
      pin: absent,
      unpin: absent,
      keepAlive: absent,
      logs: () => refuse('extension_not_found', 'There are no extensions in this host.'),
      resources: () => refuse('extension_not_found', 'There are no extensions in this host.'),
      settings: absent,
      dependencies: absent,
      previewInstall: absent,
      install: absent,
      requestInstall: absent,
      cancelInstall: absent,
      declarePackage: absent,
      installsSettled: async () => undefined,
    },
    conflicts: {
      list: async () => ({ conflicts: [] }),
      get: async () => refuse('conflict_not_found', 'Nothing is in conflict in this host.'),
      settle: async () => refuse('conflict_not_found', 'Nothing is in conflict in this host.'),
    },
    tools: {
      list: () => ({ version: 1, tools: [] }),
      get: (name) => (name === 'echo' ? ok(ECHO) : refuse('tool_not_found', `There is no tool "${name}".`)),
    },
    calls: {
      async start(request) {
        started.push(request);
        return ok({
          id: 'call-1',
          finished: Promise.resolve(JSON.stringify({ ...RUNNING, status: 'succeeded', result: request.arguments })),
        });
      },
      startOnce: async () => refuse('state_conflict', 'There are no keys in this host.'),
      list: async () => ok({ calls: [], next_cursor: null }),
      stats: async () => refuse('not_ready', 'Nothing is counted in this host.'),
      lastHour: async () => refuse('not_ready', 'Nothing is counted in this host.'),
      get: async () => ok(RUNNING),
      cancel: async () => ok(RUNNING),
      answer: async () => ok(RUNNING),
      replay: async () => ok({ id: RUNNING.id, finished: Promise.resolve(JSON.stringify(RUNNING)) }),
      replayOnce: async () => refuse('state_conflict', 'There are no keys in this host.'),
    },
    probes: { run: async () => refuse('tool_not_found', 'Nothing is probed in this host.') },
    savedCalls: {
      list: async () => ({ saved_calls: [] }),
      listAll: async () => ({ saved_calls: [] }),
      get: async () => noSavedCall(),
      save: async () => noSavedCall(),
      change: async () => noSavedCall(),
      remove: async () => noSavedCall(),
      start: async () => noSavedCall(),
    },
    failures: {
      list: async () => ok({ groups: [], next_cursor: null, counts: NO_FAILURES }),
      counts: async () => NO_FAILURES,
      get: async () => noFailure(),
      occurrences: async () => noFailure(),
      changes: async () => noFailure(),
      source: async () => noFailure(),
      change: async () => noFailure(),
      comment: async () => noFailure(),
      merge: async () => noFailure(),
      split: async () => noFailure(),
      attend: async () => noFailure(),
    },
    servers: {
      list: () => [],
      features: () => refuse('extension_not_found', 'There are no extensions in this host.'),
      find: () => refuse('extension_not_found', 'There are no extensions in this host.'),
      request: async () => ({ ok: false, error: { code: -32_000, message: 'There are no MCP servers in this host.' } }),
      subscribe: async () => ({ ok: false, error: { code: -32_000, message: 'There are no MCP servers in this host.' } }),
      unsubscribe: () => undefined,
      onNotice: () => () => undefined,
    },
    signIns: {
      isShared: () => false,
      look: noServer,
      begin: noServer,
      finish: noServer,
      remove: noServer,
    },
    toolsets: {
      list: () => ({ toolsets: [] }),
      find: () => noToolset(),
      get: () => noToolset(),
      scope: () => null,
      put: async () => noToolset(),
      remove: async () => noToolset(),
    },
    serverList: {
      list: async () => ok({ servers: [] }),
      get: noServer,
      put: noServer,
      remove: noServer,
      test: noServer,
      import: noServer,
      export: noServer,
    },
    secrets: {
      list: () => ({ secrets: [], missing: [] }),
      put: async () => refuse('secret_not_found', 'There are no secrets in this host.'),
      remove: async () => refuse('secret_not_found', 'There are no secrets in this host.'),
    },
    channels: {
      list: async () => ({ channels: [] }),
      get: async () => noChannel(),
      messages: async () => noChannel(),
      send: async () => noChannel(),
      inject: async () => noChannel(),
      resend: async () => noChannel(),
      retry: async () => noChannel(),
      configure: async () => noChannel(),
    },
    sources: { tree: noSource, read: noSource, write: noSource, begin: noSource, remove: noSource, writeAll: noSource },
    accounts: null,
    instances: {
      list: async () => ({ shared: false, instances: [] }),
      drain: () => undefined,
      countAttempt: () => null,
      others: () => [],
      id: () => 'fake',
      ask: async () => refuse('instance_unavailable', 'There is no other.'),
      askOthers: async () => [],
      answer: () => undefined,
    },
    snapshots: { list: async () => ok({ snapshots: [], next_cursor: null }), get: async () => refuse('snapshot_not_found', 'None.') },
    events: {
      lastId: () => lastId,
      since: (id) => (id < forgotten ? null : kept.filter((event) => event.id > id)),
      // Only call events are published here, so streams of other types are not counted as readers.
      subscribe(listener, types) {
        if (types?.every((type) => !type.startsWith('call.')) === true) return () => undefined;
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      subscribeOwn: () => () => undefined,
    },
    metrics: () => Promise.resolve(''),
    health: () => ({
      status: 'ok',
      ready: true,
      snapshot_version: 1,
      extensions: { total: 0, ready: 0, degraded: 0, failed: 0 },
      storage: { ok: true, reason: null },
      extensions_dir: { ok: true, reason: null },
      isolation: { level: 'none', detail: [], levels: [] },
      uptime_s: 1,
    }),
    close: async () => undefined,
  };

  return {
    host,
    started,
    publish(count) {
      for (let made = 0; made < count; made += 1) {
        lastId += 1;
        const event: HostEvent = {
          id: lastId,
          type: lastId % 2 === 0 ? 'call.finished' : 'call.started',
          data: { snapshot_version: 1, call_id: 'x'.repeat(200) },
        };
        kept.push(event);
        for (const listener of listeners) listener(event);
      }
    },
    forget(id) {
      forgotten = id;
      kept = kept.filter((event) => event.id > id);
    },
    subscribers: () => listeners.size,
  };
}

export const TEST_CONFIG: HostConfig = {
  port: 0,
  host: '127.0.0.1',
  extensionsDir: '/nowhere/extensions',
  dataDir: '/nowhere/data',
  workspaceRoot: '/nowhere',
  team: null,
  trustedProxies: [],
  adminToken: null,
  secretsKeys: [],
  excludedExtensions: new Set(['example']),
  excludedTools: new Set(),
  keepLastGood: true,
  readOnlyExtensions: false,
  mcpAuthoring: false,
  extensionEnv: ['*'],
  extensionAllow: [],
  dependencies: 'ask',
  dependencySources: 'index',
  allowedHosts: [],
  allowedOrigins: [],
  watch: 'off',
  callTimeoutMs: 60_000,
  loadTimeoutMs: 10_000,
  maxResultBytes: 10_485_760,
  extensionMemoryMb: 512,
  extensionIdleMs: 600_000,
  durability: 'process',
  database: null,
  drainSeconds: 0,
  instanceId: null,
  python: 'python3',
  telegramToken: null,
  telegramApiRoot: 'https://api.telegram.org',
  kept: {
    calls: { newest: 1_000_000, days: 0 },
    snapshots: { newest: 10_000, days: 0 },
    revisions: { newest: 1_000, days: 0 },
    failures: { newest: 500, days: 0 },
    messages: { newest: 100_000, days: 0 },
  },
  logLevel: 'info',
  logFormat: 'auto',
  callRate: null,
  writeRate: null,
  concurrentRequests: 0,
  tracing: null,
  dev: false,
};

export interface TestServer extends FakeHost {
  readonly http: HttpServer;
  readonly port: number;
  /** Targets of requests that reached Next. */
  readonly entered: string[];
  /** Headers of the request, as sent to Next. */
  readonly enteredHeaders: Record<string, unknown>[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** The real server on a free port, with the fake host, and a fixed response instead of Next. */
export async function startTestServer(change: Partial<HostConfig> = {}): Promise<TestServer> {
  const config = { ...TEST_CONFIG, ...change };
  const entered: string[] = [];
  const enteredHeaders: Record<string, unknown>[] = [];
  const http = createHttpServer({
    config,
    logger: createLogger({ write: () => undefined, readable: false }),
    createMcp: (host) => createMcpEndpoint(host, '0.0.0'),
    pages: {
      upgrade: null,
      async handle(request, response) {
        entered.push(request.url ?? '');
        enteredHeaders.push({ ...request.headers });
        response.end('a page');
        await once(response, 'close');
      },
    },
  });
  const fake = createFakeHost(config);
  http.setHost(fake.host);
  const port = await http.listen();
  return {
    ...fake,
    http,
    port,
    entered,
    enteredHeaders,
    [Symbol.asyncDispose]: () => http.close(0),
  };
}

const RUNNING = runningCallRecord({
  id: 'call-1',
  tool: 'echo',
  extension: 'echo',
  source: 'api',
  started_at: '2026-01-01T00:00:00.000Z',
});

const ECHO = toolRecord('echo', { description: 'Gives back what it got.' });
