import { Agent, request } from 'node:http';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createApiClient } from './api-client.ts';
import type { ApiClient } from './api-client.ts';
import { createExtensionFolder } from './extension-folder.ts';
import { median, ms, quantile } from './figures.ts';
import type { Section } from './report.ts';
import { answersOk, startProduct, wait } from './servers.ts';
import type { BenchServer } from './servers.ts';

/**
 * One server with many small extensions, half of them TypeScript and half Python. The last column shows the growth with their
 * number. Processes, memory and processor time are read from /proc, which only Linux has.
 */
const SHARING_MOST = 60;
const BURST_MOST = 300;
const IDLE_MS = 60_000;
const SAVES = 60;
const LISTS = 100;
const FIRST_USES = 200;
const BETWEEN_MS = 350;
const GIVE_UP_MS = 60_000;
const TICKS_A_SECOND = 100;

/** A figure of one size; null if it is not available here. */
type Figures = Readonly<Record<Name, number | null>>;
type Name = (typeof ROWS)[number]['name'];

const ROWS = [
  { name: 'firstStart', title: 'first start: ready', unit: 'ms' },
  { name: 'health', title: 'first start: GET /healthz, p99', unit: 'ms' },
  { name: 'listed', title: 'first start: GET /tools, p99', unit: 'ms' },
  { name: 'processes', title: 'all used: processes', unit: 'count' },
  { name: 'memory', title: 'all used: memory (PSS)', unit: 'bytes' },
  { name: 'usedIdle', title: 'all used, then no calls: processor time of the server, 60 s', unit: 'ms' },
  { name: 'endedProcesses', title: 'idle processes ended: processes', unit: 'count' },
  { name: 'secondStart', title: 'second start: ready', unit: 'ms' },
  { name: 'restProcesses', title: 'second start: processes', unit: 'count' },
  { name: 'restMemory', title: 'second start: memory (PSS)', unit: 'bytes' },
  { name: 'restIdle', title: 'second start, no calls: processor time of the server, 60 s', unit: 'ms' },
  { name: 'firstNode', title: 'first use of a TypeScript extension, p95', unit: 'ms' },
  { name: 'firstPython', title: 'first use of a Python extension, p95', unit: 'ms' },
  { name: 'tools', title: 'GET /tools, p95', unit: 'ms' },
  { name: 'toolsAgain', title: 'GET /tools with the ETag, p95', unit: 'ms' },
  { name: 'extensions', title: 'GET /extensions, p95', unit: 'ms' },
  { name: 'page', title: 'page /extensions, p95', unit: 'ms' },
  { name: 'saveMedian', title: 'save → call answered, p50', unit: 'ms' },
  { name: 'saveMost', title: 'save → call answered, p95', unit: 'ms' },
  { name: 'helper', title: `shared helper saved → all ${SHARING_MOST} extensions serve`, unit: 'ms' },
  { name: 'burst', title: `${BURST_MOST} folders (all of a smaller number) saved at once → all serve`, unit: 'ms' },
  { name: 'burstVersions', title: 'snapshot versions of it', unit: 'count' },
] as const satisfies readonly { readonly name: string; readonly title: string; readonly unit: 'ms' | 'bytes' | 'count' }[];

export async function measureMany(sizes: readonly number[]): Promise<Section> {
  const found: { readonly size: number; readonly figures: Figures }[] = [];
  for (const size of sizes) found.push({ size, figures: await measureSize(size) });
  const first = found[0];
  const last = found.at(-1);
  return {
    title: 'Many extensions',
    method: `Small extensions, half TypeScript and half Python; ${SHARING_MOST} of them (half of a smaller number) share a helper. The first start loads all of them, the second one finds no changes. Idle processes are ended after 20 s for the row that counts them, else never. The last ${FIRST_USES} extensions (all of a smaller number) are called for the first time, 150 ms apart; ${SAVES} are saved, ${BETWEEN_MS} ms apart; ${LISTS} requests of each list, read to the last byte.`,
    tables: [
      {
        head: ['', ...found.map(({ size }) => String(size)), 'growth per extension'],
        rows: ROWS.map(({ name, title, unit }) => [
          title,
          ...found.map(({ figures }) => inWords(figures[name], unit)),
          first === undefined || last === undefined || first === last
            ? '–'
            : inWords(growth(first.figures[name], last.figures[name], last.size - first.size), unit),
        ]),
      },
    ],
    targets: [],
  };
}

function growth(from: number | null, to: number | null, more: number): number | null {
  return from === null || to === null ? null : (to - from) / more;
}

function inWords(value: number | null, unit: 'ms' | 'bytes' | 'count'): string {
  if (value === null) return '–';
  if (unit === 'ms') return ms(value);
  return unit === 'bytes' ? `${(value / 1_048_576).toFixed(2)} MB` : value.toFixed(2).replace(/\.00$/, '');
}

async function measureSize(size: number): Promise<Figures> {
  const folder = await createExtensionFolder(0);
  const place = createPlace(folder.path, size);
  try {
    await place.write();
    const first = await measureUsed(place);
    const endedProcesses = await measureEnded(place, size);
    return { ...first, endedProcesses, ...(await measureRest(place)) };
  } finally {
    await folder.remove();
  }
}

/** All extensions have a process. */
async function measureUsed(place: Place): Promise<Pick<Figures, 'firstStart' | 'health' | 'listed' | 'processes' | 'memory' | 'usedIdle'>> {
  const server = await startProduct(place.folder, { EXTENSION_IDLE_SECONDS: '0' });
  try {
    // More often would take time from the loads.
    const ready = answersOk(server, '/readyz', 50);
    const [health, listed] = await Promise.all(['/healthz', '/api/v1/tools'].map((target) => askUntil(ready, server, target)));
    const firstStart = (await ready) - server.spawnedAt;
    await wait(3_000);
    const all = await processesOf(server.pid);
    return {
      firstStart,
      health: quantile(health ?? [], 0.99),
      listed: quantile(listed ?? [], 0.99),
      processes: all.length,
      memory: await memoryOf(all),
      usedIdle: await idleTime(server),
    };
  } finally {
    await server.end();
  }
}

/** Times of a request that is repeated, from the first success on. */
async function askUntil(end: Promise<unknown>, server: BenchServer, target: string): Promise<readonly number[]> {
  let isOver = false;
  const over = () => void (isOver = true);
  void end.then(over, over);
  await answersOk(server, target);
  const times: number[] = [];
  while (!isOver) {
    times.push(await timeOf(() => receive(server.url + target)));
    await wait(20);
  }
  return times;
}

/** Every extension is called once, then none for longer than idle processes are kept. */
async function measureEnded(place: Place, size: number): Promise<number> {
  const server = await startProduct(place.folder, { EXTENSION_IDLE_SECONDS: '20' });
  const client = createApiClient(server);
  try {
    await answersOk(server, '/readyz');
    for (let at = 0; at < size; at += 1) await callOk(client, place.toolOf(at));
    await wait(IDLE_MS);
    return (await processesOf(server.pid)).length;
  } finally {
    client.close();
    await server.end();
  }
}

/** Nothing changed since the last start. */
async function measureRest(
  place: Place,
): Promise<Omit<Figures, 'firstStart' | 'health' | 'listed' | 'processes' | 'memory' | 'usedIdle' | 'endedProcesses'>> {
  const server = await startProduct(place.folder, { EXTENSION_IDLE_SECONDS: '0' });
  const client = createApiClient(server);
  try {
    const secondStart = (await answersOk(server, '/readyz')) - server.spawnedAt;
    await answersOk(server, '/');
    await wait(3_000);
    const rest = await processesOf(server.pid);
    const restMemory = await memoryOf(rest);
    const restIdle = await idleTime(server);
    const uses = { node: [] as number[], python: [] as number[] };
    // The last ones, because the first ones are saved later, which also ends their processes.
    for (let at = place.size - 1; at >= Math.max(0, place.size - FIRST_USES); at -= 1) {
      uses[place.isPython(at) ? 'python' : 'node'].push(await timeOf(() => callOk(client, place.toolOf(at))));
      await wait(150);
    }
    const lists = await measureLists(server);
    const saves = await measureSaves(place, client);
    return {
      secondStart,
      restProcesses: rest.length,
      restMemory,
      restIdle,
      firstNode: quantile(uses.node, 0.95),
      firstPython: quantile(uses.python, 0.95),
      ...lists,
      saveMedian: median(saves),
      saveMost: quantile(saves, 0.95),
      helper: await measureHelper(place, client),
      ...(await measureBurst(place, client)),
    };
  } finally {
    client.close();
    await server.end();
  }
}

async function measureLists({ url }: BenchServer): Promise<Pick<Figures, 'tools' | 'toolsAgain' | 'extensions' | 'page'>> {
  const most = async (times: number, target: string, headers?: Readonly<Record<string, string>>): Promise<number> => {
    const samples: number[] = [];
    for (let at = 0; at < times; at += 1) samples.push(await timeOf(() => receive(url + target, headers)));
    return quantile(samples, 0.95);
  };
  const tag = await receive(`${url}/api/v1/tools`);
  return {
    tools: await most(LISTS, '/api/v1/tools'),
    toolsAgain: tag === '' ? null : await most(LISTS, '/api/v1/tools', { 'if-none-match': tag }),
    extensions: await most(LISTS, '/api/v1/extensions'),
    page: await most(20, '/extensions'),
  };
}

async function measureSaves(place: Place, client: ApiClient): Promise<readonly number[]> {
  const loads = await followLoads(client);
  const samples: number[] = [];
  for (let edit = 1; edit <= SAVES; edit += 1) {
    // Spread over the folder, and none that uses the helper.
    const at = place.sharing + ((edit * 7) % (place.size - place.sharing));
    await wait(BETWEEN_MS);
    samples.push(
      await timeOf(async () => {
        const seen = loads.next([place.idOf(at)]);
        await place.save(at, edit);
        await seen;
        await callOk(client, place.toolOf(at), edit);
      }),
    );
  }
  return samples;
}

/** Changes files as a checkout of another branch does. */
async function measureBurst(place: Place, client: ApiClient): Promise<Pick<Figures, 'burst' | 'burstVersions'>> {
  const loads = await followLoads(client);
  const changed = Array.from({ length: Math.min(BURST_MOST, place.size) }, (_, at) => at);
  const version = async (): Promise<number> => Number(Object(await client.get('/api/v1/tools')).version);
  const before = await version();
  const burst = await timeOf(async () => {
    const seen = loads.next(changed.map(place.idOf));
    await Promise.all(changed.map((at) => place.save(at, SAVES + 1)));
    await seen;
  });
  return { burst, burstVersions: (await version()) - before };
}

async function measureHelper(place: Place, client: ApiClient): Promise<number> {
  const loads = await followLoads(client);
  const ids = Array.from({ length: place.sharing }, (_, at) => place.idOf(at));
  return timeOf(async () => {
    const seen = loads.next(ids);
    await place.saveHelpers(2);
    await seen;
  });
}

/** Resolves when each of these extensions has been loaded once more. */
async function followLoads(client: ApiClient): Promise<{ next(ids: readonly string[]): Promise<void> }> {
  let onLoad = (_id: string): void => undefined;
  await client.listen(({ type, extension }) => {
    if (type === 'extension.loaded' && extension !== null) onLoad(extension);
  });
  return {
    next: (ids) =>
      new Promise((resolve, reject) => {
        const left = new Set(ids);
        const timer = setTimeout(() => reject(new Error(`No load event for ${[...left].join(', ')}`)), GIVE_UP_MS);
        onLoad = (id) => {
          left.delete(id);
          if (left.size > 0) return;
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

async function callOk(client: ApiClient, tool: string, answer?: number): Promise<void> {
  const { call } = await client.call(tool, { left: 1 });
  const text = JSON.stringify(call?.result);
  if (call?.status !== 'succeeded' || (answer !== undefined && !text.includes(`"answer":${answer}`)))
    throw new Error(`${tool} answered ${JSON.stringify(call)}`);
}

const agent = new Agent({ keepAlive: true });

/**
 * Reads an answer to its last byte. The global `fetch` needs several times as long for half a megabyte, which is the client's time.
 * @returns its ETag, or ''
 */
function receive(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, headers }, (answer) => {
      const { statusCode } = answer;
      if (statusCode !== 200 && statusCode !== 304) reject(new Error(`GET ${url} answered ${statusCode}`));
      answer.on('error', reject);
      answer.on('end', () => resolve(answer.headers.etag ?? ''));
      answer.resume();
    });
    asked.on('error', reject);
    asked.end();
  });
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** The folder of the extensions; the first ones share a helper of their language. */
interface Place {
  readonly folder: string;
  readonly size: number;
  /** How many use the helper. */
  readonly sharing: number;
  write(): Promise<void>;
  isPython(at: number): boolean;
  idOf(at: number): string;
  toolOf(at: number): string;
  save(at: number, answer: number): Promise<void>;
  saveHelpers(factor: number): Promise<void>;
}

function createPlace(folder: string, size: number): Place {
  const root = path.join(folder, 'extensions');
  const sharing = Math.min(SHARING_MOST, Math.floor(size / 2));
  const number = (at: number): string => String(at).padStart(4, '0');
  const place: Place = {
    folder,
    size,
    sharing,
    isPython: (at) => at % 2 === 1,
    idOf: (at) => `many_${number(at)}`,
    toolOf: (at) => `add_${number(at)}`,
    async save(at, answer) {
      const isPython = place.isPython(at);
      const text = (isPython ? pythonText : nodeText)(place.toolOf(at), answer, at < sharing);
      await writeFile(path.join(root, place.idOf(at), `extension.${isPython ? 'py' : 'ts'}`), text);
    },
    async saveHelpers(factor) {
      await Promise.all([
        writeFile(path.join(root, '_shared', 'scale.ts'), `export const FACTOR: number = ${factor};\n`),
        writeFile(path.join(root, '_shared', 'scale.py'), `FACTOR = ${factor}\n`),
      ]);
    },
    async write() {
      await mkdir(path.join(root, '_shared'), { recursive: true });
      await place.saveHelpers(1);
      for (let at = 0; at < size; at += 1) {
        await mkdir(path.join(root, place.idOf(at)));
        await place.save(at, 0);
      }
    },
  };
  return place;
}

function nodeText(tool: string, answer: number, isSharing: boolean): string {
  return `${isSharing ? "import { FACTOR } from '../_shared/scale.ts';" : 'const FACTOR: number = 1;'}

interface Sum { left: number; right: number }

export const TOOL = {
  label: 'Benchmark',
  name: '${tool}',
  description: 'Adds two numbers.',
  parameters: {
    left: { type: 'number', description: 'The first number', required: true },
    right: { type: 'number', description: 'The second number', default: 1 },
  },
  async execute({ left, right }: Sum): Promise<{ sum: number; answer: number }> {
    return { sum: FACTOR * (left + right), answer: ${answer} };
  },
};
`;
}

function pythonText(tool: string, answer: number, isSharing: boolean): string {
  return `${isSharing ? 'from .._shared.scale import FACTOR' : 'FACTOR = 1'}


def execute(left, right=1):
    return {"sum": FACTOR * (left + right), "answer": ${answer}}


TOOL = {
    "label": "Benchmark",
    "name": "${tool}",
    "description": "Adds two numbers.",
    "parameters": {
        "left": {"type": "number", "description": "The first number", "required": True},
        "right": {"type": "number", "description": "The second number", "default": 1},
    },
    "execute": execute,
}
`;
}

/** A process and its descendants. */
async function processesOf(pid: number): Promise<readonly number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const fields = await statFields(name).catch(() => null);
    if (fields !== null) parents.set(Number(name), Number(fields[1]));
  }
  const found = [pid];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return found;
}

async function memoryOf(pids: readonly number[]): Promise<number> {
  const sizes = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
      return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1_024;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Processor time of the server itself within a minute without requests. */
async function idleTime({ pid }: BenchServer): Promise<number> {
  const before = await processorTime(pid);
  await wait(IDLE_MS);
  return (await processorTime(pid)) - before;
}

async function processorTime(pid: number): Promise<number> {
  const fields = await statFields(String(pid));
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_A_SECOND;
}

/** Fields after the name, which may contain any character. */
async function statFields(pid: string): Promise<readonly string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
