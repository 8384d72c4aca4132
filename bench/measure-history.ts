import path from 'node:path';
import { startPostgres } from '#lib/testing/postgres.ts';
import { createExtensionFolder, toolName } from './extension-folder.ts';
import { ms, perSecond, quantile } from './figures.ts';
import { fillHistory, MARKS } from './fill-history.ts';
import type { Section } from './report.ts';
import { answersOk, startProduct } from './servers.ts';
import type { BenchServer } from './servers.ts';

/** Queries of the pages on a short and on a full history, on both databases. */

const FULL = 1_000_000;
const QUICK_FULL = 20_000;
const SHORT = 1_000;
const ASKS = 40;
const PAGES_ON = 5;

interface Answer {
  readonly calls?: readonly unknown[];
  readonly next_cursor?: string | null;
}

/** Of response times, in milliseconds. */
interface Times {
  readonly p50: number;
  readonly p95: number;
  readonly worst: number;
}

export async function measureHistory(isQuick: boolean): Promise<Section> {
  const full = isQuick ? QUICK_FULL : FULL;
  const short = await askHistory(SHORT, null);
  const long = await askHistory(full, null);
  const postgres = await startPostgres(['shared_buffers=256MB']);
  try {
    const onPostgres = await askHistory(full, await postgres.createDatabase());
    const rows = [...long.times].map(([title, times]) => {
      const before = short.times.get(title) ?? NOT_ASKED;
      const other = onPostgres.times.get(title) ?? NOT_ASKED;
      return [title, ms(before.p50), inWords(times), `${(times.p50 / before.p50).toFixed(1)} ×`, inWords(other)];
    });
    const took = ({ fillMs }: Asked): string => `${(fillMs / 1_000).toFixed(0)} s`;
    return {
      title: 'Full history',
      method: `${perSecond(SHORT)} and ${perSecond(full)} calls of 20 tools over 30 days, written through the store (${perSecond(full)} took ${took(long)} on SQLite, ${took(onPostgres)} on PostgreSQL without waiting for its disk, words of all of them indexed); every 25th failed, every 8th contains a common word, at most ten a rare word. A server starts on this history, and each query runs ${ASKS} times over HTTP after one warm-up. Lists have 50 calls.`,
      tables: [
        {
          head: [
            'p50 / p95 / worst',
            `SQLite, ${perSecond(SHORT)}: p50`,
            `SQLite, ${perSecond(full)}`,
            'ratio of p50',
            `PostgreSQL, ${perSecond(full)}`,
          ],
          rows,
        },
      ],
      targets: [...DATABASES.entries()].flatMap(([at, name]) => {
        const { times } = [long, onPostgres][at] ?? long;
        return [
          targetOf(`${name}, lists: slowest p95 ≤ ${LIST_MOST_MS} ms`, times, (title) => LISTS.test(title), LIST_MOST_MS),
          targetOf(`${name}, searches: slowest p95 ≤ ${SEARCH_MOST_MS} ms`, times, (title) => title.startsWith('with'), SEARCH_MOST_MS),
        ];
      }),
    };
  } finally {
    await postgres.close();
  }
}

const DATABASES = ['SQLite', 'PostgreSQL'];
const LIST_MOST_MS = 20;
const SEARCH_MOST_MS = 100;
const LISTS = /^(?:the newest|from|a page|of|that)/;
const PAGE = 'the calls page';
const READY = 'from the start to ready';
const NOT_ASKED: Times = { p50: Number.NaN, p95: Number.NaN, worst: Number.NaN };

function inWords({ p50, p95, worst }: Times): string {
  return [p50, p95, worst].map(ms).join(' / ');
}

function targetOf(target: string, times: Asked['times'], is: (title: string) => boolean, most: number) {
  const found = Math.max(...[...times].filter(([title]) => title !== READY && is(title)).map(([, { p95 }]) => p95));
  return { target, found: ms(found), isMet: found <= most };
}

interface Asked {
  readonly times: ReadonlyMap<string, Times>;
  readonly fillMs: number;
}

/** @param url of an empty database of PostgreSQL; null: SQLite */
async function askHistory(calls: number, url: string | null): Promise<Asked> {
  const folder = await createExtensionFolder(1);
  try {
    const database = url === null ? { file: path.join(folder.path, 'data', 'switchboard.db') } : { url };
    const { middle, aTool, tookMs } = await fillHistory(database, calls);
    const server = await startProduct(folder.path, url === null ? {} : { DATABASE_URL: url });
    try {
      const ready = (await answersOk(server, '/readyz')) - server.spawnedAt;
      const deep = await cursorBehind(server, `until=${middle}`);
      const questions: Readonly<Record<string, () => Promise<unknown>>> = {
        'the newest': () => list(server, ''),
        'from the middle on': () => list(server, `until=${middle}`),
        'a page beyond the middle': () => list(server, `until=${middle}&cursor=${deep}`),
        'of one tool': () => list(server, `tool=${aTool}`),
        'that failed': () => list(server, 'status=failed'),
        'of one tool, that failed, behind the middle': () => list(server, `tool=${aTool}&status=failed&until=${middle}`),
        'that took 100 ms at least': () => list(server, 'min_ms=100'),
        'of one tool, that took 100 ms at least': () => list(server, `tool=${aTool}&min_ms=100`),
        'of no instance': () => list(server, 'instance=none'),
        'with a common word': () => list(server, `q=${MARKS.common}`),
        'with a rare word': () => list(server, `q=${MARKS.rare}`),
        'with two word prefixes': () => list(server, `q=${MARKS.common.slice(0, 4)}%20lis`),
        'with two common words that no call has': () => list(server, `q=${MARKS.common}%20lisbon`),
        'with a common word, of one tool without it': () => list(server, `q=${MARKS.common}&tool=${aTool}`),
        'with a common word, that failed': () => list(server, `q=${MARKS.common}&status=failed`),
        'with a common word, before the middle': () => list(server, `q=${MARKS.common}&until=${middle}`),
        'with the beginning of many numbers': () => list(server, 'q=12%20quetz'),
        'statistics of all calls': () => read(server, '/api/v1/calls/stats'),
        'statistics of failed calls': () => read(server, '/api/v1/calls/stats?status=failed'),
        [PAGE]: () => read(server, '/calls'),
        'a recorded call': () => call(server),
      };
      const times = new Map<string, Times>([[READY, { p50: ready, p95: ready, worst: ready }]]);
      for (const [title, ask] of Object.entries(questions)) times.set(title, await timesOf(ask));
      return { times, fillMs: tookMs };
    } finally {
      await server.end();
    }
  } finally {
    await folder.remove();
  }
}

async function timesOf(ask: () => Promise<unknown>): Promise<Times> {
  await ask();
  const samples: number[] = [];
  for (let at = 0; at < ASKS; at += 1) {
    const began = performance.now();
    await ask();
    samples.push(performance.now() - began);
  }
  return { p50: quantile(samples, 0.5), p95: quantile(samples, 0.95), worst: Math.max(...samples) };
}

async function cursorBehind(server: BenchServer, query: string): Promise<string> {
  let cursor = '';
  for (let at = 0; at < PAGES_ON; at += 1) {
    const page = await list(server, cursor === '' ? query : `${query}&cursor=${cursor}`);
    cursor = encodeURIComponent(page.next_cursor ?? '');
  }
  return cursor;
}

async function list(server: BenchServer, query: string): Promise<Answer> {
  return JSON.parse(await read(server, `/api/v1/calls?limit=50&${query}`)) as Answer;
}

async function read(server: BenchServer, target: string): Promise<string> {
  const answer = await fetch(server.url + target);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${target} was answered with ${answer.status}: ${text}`);
  return text;
}

async function call(server: BenchServer): Promise<void> {
  const answer = await fetch(`${server.url}/api/v1/tools/${toolName(0)}/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"arguments":{"left":1}}',
  });
  if (!(await answer.text()).includes('"succeeded"')) throw new Error('a call failed');
}
