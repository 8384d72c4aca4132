import path from 'node:path';
import { createExtensionFolder, toolsText } from './extension-folder.ts';
import { median, ms, perSecond, quantile, times } from './figures.ts';
import { callBody, HANDSHAKE_HEADERS, listBody, modernHeaders, openSession } from './mcp-messages.ts';
import type { Generation } from './mcp-messages.ts';
import type { Section, Table } from './report.ts';
import { runLoad, WARM_UP_SECONDS } from './run-load.ts';
import type { Load, LoadRequest } from './run-load.ts';
import { answersOk, askUntil, drained, ROOT, startProduct, startServer, wait } from './servers.ts';
import type { BenchServer } from './servers.ts';

/**
 * `tools/call` over `/mcp`, recorded on disk, against the official servers, which record nothing: with few and many tools, in
 * both protocol generations, alternating in every round. Then `tools/list`.
 */
interface Contestant {
  readonly title: string;
  readonly generation: Generation;
  /** Name in `bench/bare-mcp.mjs`; null for the product. */
  readonly bare: string | null;
  readonly hasSession: boolean;
}

const CONTESTANTS: readonly Contestant[] = [
  { title: 'ours, stateless', generation: '2026', bare: null, hasSession: false },
  { title: 'ours, session', generation: '2025', bare: null, hasSession: true },
  { title: 'official v2, stateless', generation: '2026', bare: 'v2', hasSession: false },
  { title: 'official v2, 2025 protocol', generation: '2025', bare: 'v2', hasSession: false },
  { title: 'official v2, one handler', generation: '2026', bare: 'v2-low', hasSession: false },
  { title: 'official v1, stateless', generation: '2025', bare: 'v1', hasSession: false },
  { title: 'official v1, session', generation: '2025', bare: 'v1-session', hasSession: true },
];
const TOOLS = [1, 50, 200];
const CONNECTIONS = [1, 16];
const LISTED = 1_000;
/** Deferred work of ours must not affect the next one. */
const AFTERWARDS_MS = 1_000;
const RATE_TARGET = 3_600;
const LIST_TARGET_MS = 50;

interface Course {
  readonly rounds: number;
  /** Per round. */
  readonly seconds: number;
  /** Seconds. */
  readonly warmUp: number;
  readonly connections: readonly number[];
}

export async function measureMcp(isQuick: boolean): Promise<Section> {
  const rounds = isQuick ? 1 : 5;
  const seconds = isQuick ? 1 : 1.2;
  const warmUp = isQuick ? 1 : WARM_UP_SECONDS;
  const calls = new Map<string, Load>();
  for (const tools of TOOLS) {
    for (const [title, load] of await measureWith(tools, callBody, { rounds, seconds, warmUp, connections: CONNECTIONS }))
      calls.set(title, load);
  }
  const lists = await measureWith(LISTED, listBody, { rounds: 1, seconds, warmUp: 1, connections: [1] });
  return section(calls, lists, { rounds, seconds, warmUp, connections: CONNECTIONS });
}

async function measureWith(
  tools: number,
  bodyOf: (generation: Generation) => string,
  { rounds, seconds, warmUp, connections }: Course,
): Promise<ReadonlyMap<string, Load>> {
  const folder = await createExtensionFolder(0);
  const servers = new Map<string | null, BenchServer>();
  try {
    await folder.save('bench', toolsText(tools));
    servers.set(null, await startProduct(folder.path));
    for (const bare of new Set(CONTESTANTS.flatMap((one) => (one.bare === null ? [] : [one.bare]))))
      servers.set(bare, await startServer([path.join(ROOT, 'bench', 'bare-mcp.mjs')], { SERVER: bare, TOOLS: String(tools) }));
    const requests = new Map<Contestant, LoadRequest>();
    for (const contestant of CONTESTANTS) requests.set(contestant, await requestFor(contestant, servers.get(contestant.bare), bodyOf));
    for (const request of requests.values()) await runLoad(request, 16, warmUp);

    const found = new Map<string, Load>();
    for (const count of connections) {
      const loads = new Map<Contestant, Load[]>(CONTESTANTS.map((contestant) => [contestant, []]));
      for (let round = 0; round < rounds; round += 1)
        for (const [contestant, request] of requests) {
          loads.get(contestant)?.push(await runLoad(request, count, seconds));
          if (contestant.bare === null) await wait(AFTERWARDS_MS);
        }
      for (const [{ title }, one] of loads) {
        found.set(keyOf(title, tools, count), {
          perSecond: median(one.map((load) => load.perSecond)),
          latencies: one.flatMap((load) => load.latencies),
          wrong: one.reduce((sum, load) => sum + load.wrong, 0),
        });
      }
    }
    return found;
  } finally {
    for (const server of servers.values()) await server.end();
    await folder.remove();
  }
}

async function requestFor(
  { generation, hasSession, bare }: Contestant,
  server: BenchServer | undefined,
  bodyOf: (generation: Generation) => string,
): Promise<LoadRequest> {
  if (server === undefined) throw new Error('This server was not started.');
  if (bare === null) await answersOk(server, '/readyz');
  const url = `${server.url}/mcp`;
  const body = bodyOf(generation);
  const isList = bodyOf === listBody;
  const headers = generation === '2026' ? modernHeaders(isList) : HANDSHAKE_HEADERS;
  const post = (): Promise<Response> => fetch(url, { method: 'POST', headers, body: bodyOf(generation) });
  if (!hasSession) await askUntil(server, post, drained);
  const session = hasSession ? await openSession(server, url) : {};
  return { url, body, headers: { ...headers, ...session }, expected: isList ? `"add_${LISTED - 1}"` : '"sum":42' };
}

function section(calls: ReadonlyMap<string, Load>, lists: ReadonlyMap<string, Load>, { rounds, seconds, warmUp }: Course): Section {
  const rate = (title: string, tools: number, count: number): number => calls.get(keyOf(title, tools, count))?.perSecond ?? Number.NaN;
  const slowest = Math.min(...TOOLS.flatMap((tools) => OURS.map((title) => rate(title, tools, 16))));
  const ratio = Math.min(...OURS.map((title) => rate(title, 200, 16) / rate(title, 1, 16)));
  const listed = Math.max(...OURS.map((title) => median(lists.get(keyOf(title, LISTED, 1))?.latencies ?? [])));
  const wrong = [...calls.values(), ...lists.values()].reduce((sum, load) => sum + load.wrong, 0);
  return {
    title: 'Calls over MCP',
    method: `One extension with 1, 50 or 200 tools that add two numbers; \`tools/call\` over \`/mcp\` on keep-alive connections from a separate process, after ${warmUp} s of load on each, ${rounds} rounds of ${seconds} s alternating between all servers; the rate is the median of the rounds. Every answer is checked (${wrong} were wrong). The official servers have the same tools and record nothing; ours records each call before and after. \`tools/list\` has ${LISTED} tools, at one connection.`,
    tables: [...CONNECTIONS.map((count) => callTable(calls, count)), listTable(lists)],
    targets: [
      {
        target: `16 connections, any number of tools: ≥ ${RATE_TARGET.toLocaleString('en-US')} calls a second`,
        found: perSecond(slowest),
        isMet: slowest >= RATE_TARGET,
      },
      ...BESIDE_OFFICIAL.map(({ ours, official }) => {
        const ratio = rate(ours, 1, 16) / rate(official, 1, 16);
        return {
          target: `16 connections, one tool: ${ours}, no slower than ${official}, which records nothing`,
          found: `${times(ratio)} its rate`,
          isMet: ratio >= 1,
        };
      }),
      { target: '200 tools cost no more than one', found: `${times(ratio)} the rate of one`, isMet: ratio >= 0.9 },
      { target: `tools/list with ${LISTED} tools: p50 ≤ ${LIST_TARGET_MS} ms`, found: ms(listed), isMet: listed <= LIST_TARGET_MS },
    ],
  };
}

/** The official server of the same generation, used as documented: a server per request, a registration per tool. */
const BESIDE_OFFICIAL = [
  { ours: 'ours, stateless', official: 'official v2, stateless' },
  { ours: 'ours, session', official: 'official v2, 2025 protocol' },
] as const;
const OURS = CONTESTANTS.filter(({ bare }) => bare === null).map(({ title }) => title);

function callTable(calls: ReadonlyMap<string, Load>, count: number): Table {
  return {
    head: [
      `calls a second, ${count} connection${count === 1 ? '' : 's'}`,
      ...TOOLS.map((tools) => `${tools} tool${tools === 1 ? '' : 's'}`),
      'p50, 200 tools',
      'p99, 200 tools',
    ],
    rows: CONTESTANTS.map(({ title }) => {
      const { latencies = [] } = calls.get(keyOf(title, 200, count)) ?? {};
      const rates = TOOLS.map((tools) => perSecond(calls.get(keyOf(title, tools, count))?.perSecond ?? Number.NaN));
      return [title, ...rates, ms(median(latencies)), ms(quantile(latencies, 0.99))];
    }),
  };
}

function listTable(lists: ReadonlyMap<string, Load>): Table {
  return {
    head: [`tools/list, ${LISTED} tools`, 'per second', 'p50', 'p99'],
    rows: CONTESTANTS.map(({ title }) => {
      const { perSecond: rate = Number.NaN, latencies = [] } = lists.get(keyOf(title, LISTED, 1)) ?? {};
      return [title, perSecond(rate), ms(median(latencies)), ms(quantile(latencies, 0.99))];
    }),
  };
}

function keyOf(title: string, tools: number, connections: number): string {
  return `${title} ${tools} ${connections}`;
}
