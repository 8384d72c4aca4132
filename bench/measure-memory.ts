import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { createApiClient } from './api-client.ts';
import type { ApiClient } from './api-client.ts';
import { createExtensionFolder, EXTENSIONS, toolName } from './extension-folder.ts';
import { median, megabytes } from './figures.ts';
import type { Section } from './report.ts';
import { answersOk, startProduct, wait } from './servers.ts';

/** Memory of the host and its extension processes, as reported by the operating system. */

const SETTLE_MS = 3_000;
const CALLS = 2_000;
/** Memory growth after large results and truncated output. */
const LARGE_RESULTS = 100;
const LARGE_TEXT = `export const TOOLS = [
  { label: 'Benchmark', name: 'large_result', description: 'Gives 4 MiB.', parameters: {}, execute: () => 'x'.repeat(4 * 1_048_576 - 64) },
  {
    label: 'Benchmark', name: 'print_much', description: 'Prints 1 GiB.', parameters: {}, timeout_ms: 300_000,
    async execute() {
      const line = 'y'.repeat(65_535) + '\\n';
      for (let count = 0; count < 16_384; count += 1)
        if (!process.stdout.write(line)) await new Promise((resolve) => process.stdout.once('drain', resolve));
      return 'printed';
    },
  },
];
`;
const runFile = promisify(execFile);

interface Memory {
  readonly resident: number;
  /** Proportional set size; null if unavailable. */
  readonly proportional: number | null;
}

export async function measureMemory(isQuick: boolean): Promise<Section> {
  const folder = await createExtensionFolder();
  await folder.save('large', LARGE_TEXT);
  const first = await startProduct(folder.path);
  await answersOk(first, '/readyz');
  await first.end();
  const server = await startProduct(folder.path);
  try {
    await answersOk(server, '/readyz');
    await wait(SETTLE_MS);
    const idle = await memoryOf(server.pid);
    for (const target of ['/', '/tools', '/calls']) await answersOk(server, target);
    await wait(SETTLE_MS);
    const afterPages = await memoryOf(server.pid);
    const client = createApiClient(server);
    for (let at = 0; at < EXTENSIONS; at += 1) await client.call(toolName(at), { left: 1 });
    await wait(SETTLE_MS);
    const children = await Promise.all((await processesOf(client)).map(memoryOf));
    for (let at = 0; at < (isQuick ? 200 : CALLS); at += 1) await client.call(toolName(at % EXTENSIONS), { left: 1 });
    await wait(SETTLE_MS);
    const afterCalls = await memoryOf(server.pid);
    for (let at = 0; at < LARGE_RESULTS; at += 1) await client.call('large_result', {});
    await wait(SETTLE_MS);
    const afterResults = await memoryOf(server.pid);
    await client.call('print_much', {});
    await wait(SETTLE_MS);
    const afterOutput = await memoryOf(server.pid);
    client.close();

    const row = (title: string, memory: Memory): string[] => [
      title,
      megabytes(memory.resident),
      memory.proportional === null ? '–' : megabytes(memory.proportional),
    ];
    const proportional = children.flatMap((child) => child.proportional ?? []);
    const typical: Memory = {
      resident: median(children.map((child) => child.resident)),
      proportional: proportional.length === 0 ? null : median(proportional),
    };
    return {
      title: 'Memory',
      method: `${EXTENSIONS} extensions, unchanged since the last start, so no process runs until its tools are called. RSS counts shared pages in every process; PSS divides them.`,
      tables: [
        {
          head: ['', 'RSS', 'PSS'],
          rows: [
            row('host, idle after the start', idle),
            row('host, after opening three pages', afterPages),
            row(`host, with ${children.length} extension processes and ${isQuick ? 200 : CALLS} calls later`, afterCalls),
            row(`host, ${LARGE_RESULTS} results of 4 MiB later`, afterResults),
            row('host, 1 GiB of output later', afterOutput),
            row(`one extension process (median of ${children.length})`, typical),
          ],
        },
      ],
      targets: [],
    };
  } finally {
    await server.end();
    await folder.remove();
  }
}

async function processesOf(client: ApiClient): Promise<number[]> {
  const listed = (await client.get('/api/v1/extensions')) as {
    readonly extensions: readonly { readonly process: { readonly pid: number | null } }[];
  };
  return listed.extensions.flatMap(({ process: { pid } }) => (pid === null ? [] : [pid]));
}

async function memoryOf(pid: number): Promise<Memory> {
  if (process.platform !== 'linux') {
    const { stdout } = await runFile('ps', ['-o', 'rss=', '-p', String(pid)]);
    return { resident: Number(stdout.trim()) * 1_024, proportional: null };
  }
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN);
  return { resident: kilobytes('Rss') * 1_024, proportional: kilobytes('Pss') * 1_024 };
}
