import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { childrenOf } from '#lib/testing/child-processes.ts';
import { startFaultProxy } from '#lib/testing/fault-proxy.ts';
import type { FaultProxy } from '#lib/testing/fault-proxy.ts';
import { busChannel, startMessageBus } from '#lib/testing/message-bus.ts';
import type { MessageBus } from '#lib/testing/message-bus.ts';
import { startPostgres } from '#lib/testing/postgres.ts';
import { serverProgram } from '../bin/set-up/bundle-server.mjs';
import { SERVER_ENVIRONMENT } from '../bin/set-up/server-process.mjs';
import { createExtensionFolder } from './extension-folder.ts';
import type { ExtensionFolder } from './extension-folder.ts';
import { answersOk, startServer } from './servers.ts';
import type { BenchServer } from './servers.ts';
import { parentOf, processorSeconds } from './soak-gauges.ts';

/** Servers on one PostgreSQL, behind a proxy that asks each for its readiness, as a load balancer does. */
export interface Fleet {
  /** Port and URL of the load balancer. */
  readonly port: number;
  readonly url: string;
  readonly bus: MessageBus;
  /** Running ones. */
  readonly places: readonly Place[];
  /** Folder that all have as `WORKSPACE_ROOT`. */
  readonly workspace: string;
  /** A new server, with an empty extensions folder; resolves when it is ready. */
  join(): Promise<Place>;
  /** Sends requests to these only, until called without any. */
  sendTo(places?: readonly Place[]): void;
  sql<Row extends pg.QueryResultRow>(text: string): Promise<readonly Row[]>;
  /** Processor time of PostgreSQL so far. */
  databaseSeconds(): Promise<number>;
  /** Warnings and errors of all servers, also of those that ended. */
  warnings(): readonly string[];
  close(): Promise<void>;
}

export interface Place {
  readonly name: string;
  readonly server: BenchServer;
  readonly folder: ExtensionFolder;
  /** Its connection to the database. */
  readonly database: FaultProxy;
  /** Its instance id. */
  id(): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  /** Starts it again on its folders, after it ended. */
  restart(): Promise<Place>;
}

export const KEY_TOOL = 'append_key';
export const WAIT_TOOL = 'wait_long';
export const KEYS_FILE = 'keys.txt';
const LOOK_MS = 100;
const LOOK_MOST_MS = 1_000;

/** Written by each run of a call, to detect a second run. */
const KEY_TEXT = `import { appendFile } from 'node:fs/promises';
export const TOOL = {
  label: 'Benchmark', name: '${KEY_TOOL}', description: 'Writes a key into a file.',
  parameters: { key: { type: 'string', required: true } },
  async execute({ key }) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
    await appendFile('${KEYS_FILE}', key + '\\n');
    return key;
  },
};
`;
const WAIT_TEXT = `export const TOOL = { label: 'Benchmark', name: '${WAIT_TOOL}', description: 'Waits for a minute.', parameters: {},
  execute: () => new Promise((resolve) => setTimeout(resolve, 60_000)) };
`;

/** @param count extensions beside those of the load */
export async function startFleet(servers: number, count: number): Promise<Fleet> {
  const postgres = await startPostgres([
    'fsync=on',
    'full_page_writes=on',
    'shared_preload_libraries=pg_stat_statements',
    'max_connections=100',
  ]);
  const bus = await startMessageBus();
  // Independent of later changes of the sources.
  const program = serverProgram();
  const database = await postgres.createDatabase();
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await client.query('create extension pg_stat_statements');
  const [backend] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
  const main = backend === undefined ? 0 : parentOf(backend.pid);
  const killDatabase = (): void => void postgres.kill();
  // An interrupted run leaves no database.
  process.once('exit', killDatabase);
  const all = new Set<Place>();
  const started: BenchServer[] = [];
  const opened: { close(): Promise<void> }[] = [];
  let chosen: readonly Place[] | null = null;

  async function begin(name: string, folder: ExtensionFolder, workspace: string): Promise<Place> {
    const way = await startFaultProxy([postgres.port]);
    opened.push(way);
    const through = new URL(database);
    through.port = String(way.port);
    const server = await startServer(program, {
      EXTENSIONS_DIR: path.join(folder.path, 'extensions'),
      DATA_DIR: path.join(folder.path, 'data'),
      WORKSPACE_ROOT: workspace,
      DATABASE_URL: through.href,
      SECRETS_KEY: 'one key of all instances of a benchmark',
      EXTENSION_ALLOW: '*:net,*:write',
      DRAIN_SECONDS: '2',
      ...SERVER_ENVIRONMENT,
    });
    started.push(server);
    await answersOk(server, '/readyz');
    const place: Place = {
      name,
      server,
      folder,
      database: way,
      id: () => idOf(server),
      signal: (signal) => void process.kill(server.pid, signal),
      async restart() {
        await server.end();
        all.delete(place);
        return await begin(name, folder, workspace);
      },
    };
    all.add(place);
    return place;
  }

  const balancer = await startFaultProxy([]);
  const looking = setInterval(() => void look(), LOOK_MS);
  async function look(): Promise<void> {
    const asked = [...(chosen ?? all)].map(async (place) => ((await isReady(place.server)) ? [place.server.port] : []));
    balancer.setTargets((await Promise.all(asked)).flat());
  }

  const folder = await createExtensionFolder(count);
  await folder.save(KEY_TOOL, KEY_TEXT);
  await folder.save(WAIT_TOOL, WAIT_TEXT);
  await mkdir(path.join(folder.path, 'extensions', 'channels'));
  await writeFile(path.join(folder.path, 'extensions', 'channels', 'bus.ts'), busChannel(bus.url));
  const workspace = path.join(folder.path, 'workspace');
  const fleet: Fleet = {
    port: balancer.port,
    url: `http://127.0.0.1:${balancer.port}`,
    bus,
    workspace,
    get places() {
      return [...all];
    },
    async join() {
      const next = all.size === 0 ? folder : await createExtensionFolder(0);
      const place = await begin(`server ${all.size + 1}`, next, workspace);
      await look();
      return place;
    },
    sendTo(places) {
      chosen = places ?? null;
      void look();
    },
    sql: async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text)).rows,
    async databaseSeconds() {
      // The times of its ended processes are its own.
      return [main, ...childrenOf(main).map(({ pid }) => pid)].reduce((sum, pid) => sum + processorSeconds(pid, pid === main), 0);
    },
    warnings: () =>
      started.flatMap(({ pid, output }) =>
        output()
          .split('\n')
          .filter((line) => /"level":"(?:warn|error)"/.test(line))
          .map((line) => `${pid} ${line}`),
      ),
    async close() {
      clearInterval(looking);
      await Promise.all([...all].map(async ({ server, folder: own }) => server.end().then(() => own.remove())));
      await Promise.all([balancer, ...opened].map((one) => one.close()));
      await client.end();
      await bus.close();
      await postgres.close();
      process.off('exit', killDatabase);
    },
  };
  for (let at = 0; at < servers; at += 1) await fleet.join();
  return fleet;
}

async function isReady(server: BenchServer): Promise<boolean> {
  const asked = fetch(`${server.url}/readyz`, { signal: AbortSignal.timeout(LOOK_MOST_MS) });
  return await asked.then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.ok;
    },
    () => false,
  );
}

async function idOf(server: BenchServer): Promise<string> {
  const answer = await fetch(`${server.url}/api/v1/instances`);
  const { instances }: { readonly instances: readonly { readonly id: string; readonly is_self: boolean }[] } = JSON.parse(
    await answer.text(),
  );
  const self = instances.find((instance) => instance.is_self);
  if (self === undefined) throw new Error('A server does not list itself.');
  return self.id;
}
