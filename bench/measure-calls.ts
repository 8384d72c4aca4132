import path from 'node:path';
import { startBareNext } from './bare-next.ts';
import { createExtensionFolder, toolName } from './extension-folder.ts';
import type { ExtensionFolder } from './extension-folder.ts';
import { median, ms, perSecond, quantile, times } from './figures.ts';
import type { Section } from './report.ts';
import { runLoad, WARM_UP_SECONDS } from './run-load.ts';
import type { Load } from './run-load.ts';
import { answersOk, askUntil, drained, ROOT, startProduct, startServer, wait } from './servers.ts';
import type { BenchServer } from './servers.ts';

/**
 * Calls of a trivial tool over HTTP, recorded with both values of DURABILITY, against a bare node:http server and a Next route
 * handler that echo JSON. The servers alternate in every round, so other load affects all of them; a separate process
 * generates the load.
 */

interface Contestant {
  readonly title: string;
  readonly server: BenchServer;
  readonly target: string;
  /** Text that every answer must contain. */
  readonly expected: string;
}

const CONNECTIONS = [1, 16, 64];
/** Deferred work of one server (full-text indexing) must not affect the next one. */
const AFTERWARDS_MS = 1_000;
const CALL = `/api/v1/tools/${toolName(0)}/call`;
const BODY = JSON.stringify({ arguments: { left: 40, right: 2 } });

export async function measureCalls(isQuick: boolean): Promise<Section> {
  const rounds = isQuick ? 1 : 5;
  const seconds = isQuick ? 1 : 1.5;
  const warmUp = isQuick ? 1 : WARM_UP_SECONDS;
  const folders: ExtensionFolder[] = [];
  const folderOf = async (): Promise<ExtensionFolder> => {
    const made = await createExtensionFolder(1);
    folders.push(made);
    return made;
  };
  const servers: BenchServer[] = [];
  try {
    const product = await startProduct((await folderOf()).path);
    servers.push(product);
    const synced = await startProduct((await folderOf()).path, { DURABILITY: 'power' });
    servers.push(synced);
    const bare = await startServer([path.join(ROOT, 'bench', 'bare-http.mjs')]);
    servers.push(bare);
    const next = await startBareNext();
    servers.push(next);
    for (const server of [product, synced]) {
      await answersOk(server, '/readyz');
      await answersOk(server, '/');
    }
    const contestants: Contestant[] = [
      { title: 'a recorded call', server: product, target: CALL, expected: '"sum":42' },
      { title: 'a recorded call, DURABILITY=power', server: synced, target: CALL, expected: '"sum":42' },
      { title: 'bare Next route handler, echo', server: next, target: '/echo', expected: '"left":40' },
      { title: 'bare node:http, echo', server: bare, target: '/', expected: '"left":40' },
    ];
    for (const { server, target } of contestants) {
      const post = (): Promise<Response> =>
        fetch(server.url + target, { method: 'POST', headers: { 'content-type': 'application/json' }, body: BODY });
      await askUntil(server, post, drained);
    }
    for (const contestant of contestants) await load(contestant, 16, warmUp);

    const found = new Map<string, Load>();
    for (const connections of CONNECTIONS) {
      const runs = new Map<Contestant, Load[]>(contestants.map((contestant) => [contestant, []]));
      for (let round = 0; round < rounds; round += 1)
        for (const [contestant, loads] of runs) loads.push(await load(contestant, connections, seconds));
      for (const [{ title }, loads] of runs) {
        found.set(`${title} ${connections}`, {
          perSecond: median(loads.map((one) => one.perSecond)),
          latencies: loads.flatMap((one) => one.latencies),
          wrong: loads.reduce((sum, one) => sum + one.wrong, 0),
        });
      }
    }
    return section(
      contestants.map(({ title }) => title),
      found,
      rounds,
      seconds,
      warmUp,
    );
  } finally {
    for (const server of servers) await server.end();
    for (const folder of folders) await folder.remove();
  }
}

function section(titles: readonly string[], found: ReadonlyMap<string, Load>, rounds: number, seconds: number, warmUp: number): Section {
  const of = (title: string, connections: number): Load =>
    found.get(`${title} ${connections}`) ?? { perSecond: 0, latencies: [], wrong: 0 };
  const [product = '', , next = ''] = titles;
  const ratio = of(product, 16).perSecond / of(next, 16).perSecond;
  const one = median(of(product, 1).latencies);
  return {
    title: 'Calls over HTTP',
    method: `One extension with one tool that adds two numbers. \`POST\` on keep-alive connections from a separate process; after ${warmUp} s of load on each server, ${rounds} rounds of ${seconds} s for each number of connections, alternating between the servers, with a pause of ${AFTERWARDS_MS / 1_000} s after each; the rate is the median of the rounds. Every answer is checked. The Next handler runs under \`next start\`.`,
    tables: CONNECTIONS.map((connections) => ({
      head: [
        `${connections} connection${connections === 1 ? '' : 's'}`,
        'per second',
        'p50',
        'p95',
        'p99',
        'wrong answers',
        '/ Next handler',
      ],
      rows: titles.map((title) => {
        const { latencies, perSecond: rate, wrong } = of(title, connections);
        return [
          title,
          perSecond(rate),
          ms(median(latencies)),
          ms(quantile(latencies, 0.95)),
          ms(quantile(latencies, 0.99)),
          String(wrong),
          times(rate / of(next, connections).perSecond),
        ];
      }),
    })),
    targets: [
      { target: '16 connections: ≥ 4 × the Next handler', found: times(ratio), isMet: ratio >= 4 },
      { target: '1 connection: p50 ≤ 0.5 ms', found: ms(one), isMet: one <= 0.5 },
    ],
  };
}

async function load({ server, target, expected }: Contestant, connections: number, seconds: number): Promise<Load> {
  const found = await runLoad({ url: server.url + target, body: BODY, expected }, connections, seconds);
  await wait(AFTERWARDS_MS);
  return found;
}
