import { followEvents } from './api-client.ts';
import { extensionId, toolName, toolText } from './extension-folder.ts';
import type { Fleet } from './instance-fleet.ts';
import { get, post, until } from './instance-faults.ts';
import { runLoad } from './run-load.ts';
import { wait } from './servers.ts';

/** Cost of several servers on one database, and the time until they agree. */

const TOOL = toolName(1);
const PATIENCE_MS = 30_000;

export interface Spread {
  /** By server; the one with the save is first. */
  readonly servedMs: readonly (readonly number[])[];
}

/** From a save on the first server until each serves it. */
export async function measureSpread(fleet: Fleet, saves: number): Promise<Spread> {
  const { places } = fleet;
  const [first] = places;
  if (first === undefined) throw new Error('A fleet has servers.');
  const servedMs = places.map((): number[] => []);
  for (let edit = 1; edit <= saves; edit += 1) {
    await wait(500);
    const name = toolName(2, edit);
    const began = performance.now();
    await first.folder.save(extensionId(2), toolText(name));
    await Promise.all(
      places.map(async (place, at) => {
        const served = await until(async () => (await get<{ available: boolean }>(place, `/api/v1/tools/${name}`)).available, PATIENCE_MS);
        servedMs[at]?.push(served - began);
      }),
    );
  }
  return { servedMs };
}

export interface Throughput {
  readonly servers: number;
  readonly perSecond: number;
  readonly wrong: number;
  readonly latencies: readonly number[];
  /** Statements of PostgreSQL per call. */
  readonly statements: number;
  readonly walBytes: number;
  readonly databaseMs: number;
}

export async function measureThroughput(fleet: Fleet, servers: number, connections: number, seconds: number): Promise<Throughput> {
  fleet.sendTo(fleet.places.slice(0, servers));
  await wait(1_500);
  const ask = (forSeconds: number) =>
    runLoad(
      { url: `${fleet.url}/api/v1/tools/${TOOL}/call`, body: JSON.stringify({ arguments: { left: 1 } }), expected: '"succeeded"' },
      connections,
      forSeconds,
    );
  await ask(3);
  const before = await usage(fleet);
  const { perSecond, wrong, latencies } = await ask(seconds);
  const after = await usage(fleet);
  const calls = after.calls - before.calls;
  fleet.sendTo();
  return {
    servers,
    perSecond,
    wrong,
    latencies,
    statements: (after.statements - before.statements) / calls,
    walBytes: (after.walBytes - before.walBytes) / calls,
    databaseMs: ((after.seconds - before.seconds) * 1_000) / calls,
  };
}

export interface Idle {
  readonly servers: number;
  readonly seconds: number;
  /** Per server and hour. */
  readonly statements: number;
  readonly rows: number;
  readonly walBytes: number;
  /** Share of a processor used by PostgreSQL, per server. */
  readonly processor: number;
}

export async function measureIdle(fleet: Fleet, seconds: number): Promise<Idle> {
  const servers = fleet.places.length;
  const before = await usage(fleet);
  await wait(seconds * 1_000);
  const after = await usage(fleet);
  const hourly = (difference: number): number => ((difference / seconds) * 3_600) / servers;
  return {
    servers,
    seconds,
    statements: hourly(after.statements - before.statements),
    rows: hourly(after.rows - before.rows),
    walBytes: hourly(after.walBytes - before.walBytes),
    processor: (after.seconds - before.seconds) / seconds / servers,
  };
}

interface Usage {
  readonly calls: number;
  readonly statements: number;
  /** Written. */
  readonly rows: number;
  readonly walBytes: number;
  readonly seconds: number;
}

async function usage(fleet: Fleet): Promise<Usage> {
  // Statistics of a connection are reported a second after its statements.
  await wait(1_500);
  const [row] = await fleet.sql<{ calls: string; statements: string; rows: string; wal: string }>(`
    select (select count(*) from calls) as calls,
      (select sum(calls) from pg_stat_statements) as statements,
      (select tup_inserted + tup_updated + tup_deleted from pg_stat_database where datname = current_database()) as rows,
      pg_current_wal_lsn() - '0/0' as wal`);
  if (row === undefined) throw new Error('PostgreSQL has its statistics.');
  const seconds = await fleet.databaseSeconds();
  return { calls: Number(row.calls), statements: Number(row.statements), rows: Number(row.rows), walBytes: Number(row.wal), seconds };
}

/** From the answer of a call on the first server until its event is on a stream of the second. */
export async function measureEvents(fleet: Fleet, calls: number): Promise<readonly number[]> {
  const [first, second] = fleet.places;
  if (first === undefined || second === undefined) throw new Error('Two servers run.');
  const seen = new Map<string, number>();
  const endStream = await followEvents(second.server.port, (text) => {
    for (const [, id] of text.matchAll(/"call_id":"([0-9a-f-]+)"/g))
      if (id !== undefined && text.includes('call.finished')) seen.set(id, performance.now());
  });
  const delays: number[] = [];
  for (let at = 0; at < calls; at += 1) {
    const answer = await post(first, `/api/v1/tools/${TOOL}/call`, { arguments: { left: 1 } });
    const { id }: { readonly id: string } = JSON.parse(await answer.text());
    const answered = performance.now();
    await until(() => Promise.resolve(seen.has(id)), PATIENCE_MS);
    delays.push(Math.max(0, (seen.get(id) ?? answered) - answered));
    await wait(Math.random() * 50);
  }
  endStream();
  return delays;
}
