import path from 'node:path';
import { serverProgram } from '../bin/set-up/bundle-server.mjs';
import { SERVER_ENVIRONMENT } from '../bin/set-up/server-process.mjs';
import { childrenOf } from '#lib/testing/child-processes.ts';
import { ms, quantile } from './figures.ts';
import type { Section } from './report.ts';
import { answersOk, startServer, wait } from './servers.ts';
import type { BenchServer } from './servers.ts';
import { createSoakClient } from './soak-client.ts';
import { createSoakFolder, LEAVING_TOOL } from './soak-folder.ts';
import type { SoakFolder } from './soak-folder.ts';
import { descendantsOf, readGauges, slopeMbPerMinute, untilGone } from './soak-gauges.ts';
import type { Gauges } from './soak-gauges.ts';
import { createSoakLedger } from './soak-ledger.ts';
import type { SoakLedger } from './soak-ledger.ts';
import { startSoakLoad } from './soak-load.ts';
import type { SoakLoad } from './soak-load.ts';

/**
 * Soak test: all kinds of load for minutes, first on one server while its extension processes are killed, then on a server that
 * is killed repeatedly. Every answered call must be recorded afterwards.
 */

/** Share of the time for the first part. */
const LIVING_SHARE = 0.4;
const HOST_KILLS_MOST = 100;
const LOAD_BEFORE_KILL_MS = 700;
const KILL_EVERY_MS = 1_000;
const KILLS_BETWEEN_LOOKS = 2;
const GONE_WITHIN_MS = 3_000;

/** The folder, and a copy of the program, independent of later source changes. */
interface Soak extends SoakFolder {
  readonly program: readonly string[];
}

interface Living {
  readonly gauges: readonly Gauges[];
  readonly load: SoakLoad;
  readonly kills: number;
}

interface Killed {
  readonly kills: number;
  readonly readyMs: readonly number[];
  readonly goneMs: readonly number[];
  readonly orphans: readonly number[];
  readonly stillRunning: number;
}

/** @param idle extensions that are saved and not called */
export async function measureSoak(minutes: number, idle: number): Promise<Section> {
  const soak: Soak = { ...(await createSoakFolder(idle)), program: serverProgram() };
  const ledger = createSoakLedger();
  try {
    const living = await soakLiving(soak, ledger, minutes * 60_000 * LIVING_SHARE);
    const killed = await soakKilled(soak, ledger, minutes * 60_000 * (1 - LIVING_SHARE));
    return describeSoak(minutes, idle, living, killed, ledger);
  } finally {
    await soak.folder.remove();
  }
}

function start({ folder, program }: Soak): Promise<BenchServer> {
  return startServer(program, {
    EXTENSIONS_DIR: path.join(folder.path, 'extensions'),
    DATA_DIR: path.join(folder.path, 'data'),
    WORKSPACE_ROOT: path.join(folder.path, 'workspace'),
    EXTENSION_ALLOW: `*:net,${LEAVING_TOOL}:run`,
    ...SERVER_ENVIRONMENT,
  });
}

async function soakLiving(soak: Soak, ledger: SoakLedger, forMs: number): Promise<Living> {
  const server = await start(soak);
  const client = createSoakClient(server);
  try {
    await answersOk(server, '/readyz');
    await answersOk(server, '/');
    const load = startSoakLoad(client, soak, ledger);
    const gauges: Gauges[] = [];
    const until = performance.now() + forMs;
    let kills = 0;
    for (let turn = 1; performance.now() < until; turn += 1) {
      await wait(KILL_EVERY_MS);
      if (turn % KILLS_BETWEEN_LOOKS === 0) gauges.push(await readGauges(server));
      kills += (await killVictim(soak, client)) ? 1 : 0;
    }
    await load.stop();
    await ledger.verify(client);
    return { gauges, load, kills };
  } finally {
    client.close();
    await server.end();
  }
}

/** Process id of an extension, or of another one if it has none. */
async function killVictim({ victims }: SoakFolder, client: ReturnType<typeof createSoakClient>): Promise<boolean> {
  const first = Math.floor(Math.random() * victims.length);
  for (const victim of [...victims.slice(first), ...victims.slice(0, first)]) {
    const answer = await client.ask('GET', `/api/v1/extensions/${victim}`);
    const pid: unknown = Object(answer?.json['process']).pid;
    if (typeof pid === 'number' && isKilled(pid)) return true;
  }
  return false;
}

/** It may have been replaced meanwhile. */
function isKilled(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

async function soakKilled(soak: Soak, ledger: SoakLedger, forMs: number): Promise<Killed> {
  const until = performance.now() + forMs;
  const readyMs: number[] = [];
  const goneMs: number[] = [];
  const orphans: number[] = [];
  let kills = 0;
  let stillRunning = 0;
  for (;;) {
    const server = await start(soak);
    const client = createSoakClient(server);
    try {
      readyMs.push((await answersOk(server, '/readyz')) - server.spawnedAt);
      const page = await client.ask('GET', '/api/v1/calls?status=running&limit=200');
      stillRunning += Array.isArray(page?.json['calls']) ? page.json['calls'].length : 1;
      await ledger.verify(client);
      if (performance.now() > until || kills >= HOST_KILLS_MOST) return { kills, readyMs, goneMs, orphans, stillRunning };
      const load = startSoakLoad(client, soak, ledger);
      await wait(LOAD_BEFORE_KILL_MS);
      // The guard is killed last, because it kills the others.
      const guards = childrenOf(server.pid).filter(({ command }) => command.includes('switchboard-orphan-guard'));
      const below = descendantsOf(server.pid).filter((pid) => !guards.some((guard) => guard.pid === pid));
      process.kill(server.pid, 'SIGKILL');
      kills += 1;
      const gone = await untilGone([...below, ...load.left, ...guards.map(({ pid }) => pid)], GONE_WITHIN_MS);
      goneMs.push(gone.ms);
      orphans.push(...gone.left);
      await load.stop();
    } finally {
      client.close();
      await server.end();
    }
  }
}

function describeSoak(minutes: number, idle: number, { gauges, load, kills }: Living, killed: Killed, ledger: SoakLedger): Section {
  const { calls, messages, lost } = ledger.totals();
  const lag = gauges.map((gauge) => gauge.lagMs).filter((value) => !Number.isNaN(value));
  const [first, last] = [gauges[Math.floor(gauges.length / 3)], gauges.at(-1)];
  const slope = slopeMbPerMinute(gauges);
  const counts = [...ledger.ends].map(([status, count]) => `${count} ${status}`).join(', ');
  const readyWorst = Math.max(...killed.readyMs);
  const goneWorst = Math.max(0, ...killed.goneMs);
  const row = (what: string, found: string): string[] => [what, found];
  return {
    title: 'Soak',
    method: `${minutes} minutes. ${idle === 0 ? '' : `Besides ${idle} extensions that are not called, one of which is saved each time. `}Calls, saves of the called extensions every 300 ms, cancelled calls, messages, event clients that come and go, orphaned programs and killed processes at once; ${Math.round(LIVING_SHARE * 100)} % of the time on one server, then on one that is killed ${LOAD_BEFORE_KILL_MS} ms after each start, ${HOST_KILLS_MOST} times at most. Every answered call is verified afterwards.`,
    tables: [
      {
        head: ['', 'found'],
        rows: [
          row('answered calls', `${calls} (${counts})`),
          row(
            'time of a call under load, p50 / p99 / worst',
            [0.5, 0.99, 1].map((part) => ms(quantile(ledger.callTimes, part))).join(' / '),
          ),
          row('answered messages', String(messages)),
          row('saves / cancelled calls / event streams / their events', Object.values(load.counts).join(' / ')),
          row('killed processes of extensions / kills of the server', `${kills} / ${killed.kills}`),
          row(
            'resident memory of the server, after a third / at the end',
            `${first?.residentMb.toFixed(0)} MB / ${last?.residentMb.toFixed(0)} MB`,
          ),
          row('its slope', `${slope.toFixed(2)} MB a minute`),
          row('descriptors, after a third / at the end', `${first?.descriptors} / ${last?.descriptors}`),
          row(
            'lag of the event loop, worst ten seconds of a minute, p99: median / worst',
            `${ms(quantile(lag, 0.5))} / ${ms(Math.max(...lag))}`,
          ),
          row('start after a kill until ready, median / worst', `${ms(quantile(killed.readyMs, 0.5))} / ${ms(readyWorst)}`),
          row('processes gone after a kill, worst', ms(goneWorst)),
          ...[...lost, ...load.failures].slice(0, 10).map((text) => row('lost or failed', text)),
        ],
      },
    ],
    targets: [
      { target: 'no answered call lost', found: `${lost.length} lost`, isMet: lost.length === 0 },
      { target: 'no call fails because of a save', found: `${load.failures.length} failed`, isMet: load.failures.length === 0 },
      { target: 'no process 3 s after a kill', found: `${killed.orphans.length} left`, isMet: killed.orphans.length === 0 },
      { target: 'no call reads running after a start', found: String(killed.stillRunning), isMet: killed.stillRunning === 0 },
      { target: 'ready ≤ 3 s after a kill', found: ms(readyWorst), isMet: readyWorst <= 3_000 },
    ],
  };
}
