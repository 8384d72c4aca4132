import { readFile } from 'node:fs/promises';
import { createExtensionFolder, EXTENSIONS, toolName } from './extension-folder.ts';
import type { ExtensionFolder } from './extension-folder.ts';
import { median, ms } from './figures.ts';
import type { Section } from './report.ts';
import { answersOk, askUntil, drained, startProduct } from './servers.ts';

/** Time from the spawn of the server to its first answers, polled every few milliseconds. */

interface Start {
  readonly health: number;
  readonly callable: number;
  readonly ready: number;
  readonly page: number;
  /** Processor time of the server until the first answer; null if unavailable. */
  readonly processor: number | null;
}

/** The unit of /proc, independent of the kernel's own unit. */
const TICKS_A_SECOND = 100;

export async function measureStarts(isQuick: boolean): Promise<Section> {
  const starts = isQuick ? 3 : 10;
  const folder = await createExtensionFolder();
  try {
    const first = await startOnce(folder);
    const later: Start[] = [];
    for (let at = 0; at < starts; at += 1) later.push(await startOnce(folder));
    const row = (title: string, of: (start: Start) => number): string[] => {
      const samples = later.map(of);
      return [title, ms(of(first)), ms(median(samples)), ms(Math.min(...samples)), ms(Math.max(...samples))];
    };
    const callable = median(later.map((start) => start.callable));
    return {
      title: 'Start to first answer',
      method: `${EXTENSIONS} extensions. Measured from the spawn of the server, as by \`npm start\` after set-up. The first start has an empty data folder and builds, starts and describes all of them; the ${starts} later ones find no changes. The first call also starts the tool's process.`,
      tables: [
        {
          head: ['from the start to', 'first start', 'later: median', 'best', 'worst'],
          rows: [
            row('/healthz answers', (start) => start.health),
            row('the first call has answered', (start) => start.callable),
            row('/readyz is well', (start) => start.ready),
            row('the first page has come', (start) => start.page),
            ...(first.processor === null
              ? []
              : [row('processor time of the server until the first call has answered', (start) => start.processor ?? Number.NaN)]),
          ],
        },
      ],
      targets: [{ target: 'start → first call answered ≤ 700 ms', found: ms(callable), isMet: callable <= 700 }],
    };
  } finally {
    await folder.remove();
  }
}

async function startOnce(folder: ExtensionFolder): Promise<Start> {
  const server = await startProduct(folder.path);
  try {
    const post = (): Promise<Response> =>
      fetch(`${server.url}/api/v1/tools/${toolName(EXTENSIONS - 1)}/call`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"arguments":{"left":1}}',
      });
    const isCalled = async (answer: Response): Promise<boolean> => (await answer.text()).includes('"succeeded"');
    const health = await answersOk(server, '/healthz');
    let processor: number | null = null;
    const [callable, ready, page] = await Promise.all([
      askUntil(server, post, isCalled).then(async (at) => {
        processor = await processorTime(server.pid);
        return at;
      }),
      answersOk(server, '/readyz'),
      askUntil(server, () => fetch(server.url), drained),
    ]);
    const since = (at: number): number => at - server.spawnedAt;
    return { health: since(health), callable: since(callable), ready: since(ready), page: since(page), processor };
  } finally {
    await server.end();
  }
}

async function processorTime(pid: number): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // Fields after the name, which may contain any character: the state is field 3, the times are fields 14 and 15.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_A_SECOND;
}
