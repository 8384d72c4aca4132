import { createExtensionFolder, EXTENSIONS, toolName } from './extension-folder.ts';
import type { ExtensionFolder } from './extension-folder.ts';
import { median, ms } from './figures.ts';
import type { Section } from './report.ts';
import { answersOk, askUntil, drained, startProduct } from './servers.ts';

/** From the spawn of the server to its first answers, asked every few milliseconds. */

interface Start {
  readonly health: number;
  readonly callable: number;
  readonly ready: number;
  readonly page: number;
}

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
      title: 'From the start to the first answers',
      method: `${EXTENSIONS} extensions. The clock starts before \`node server.ts\` is spawned. The first start has an empty data folder and builds, starts and describes all of them; the ${starts} later ones find nothing changed. A tool is callable when its first call has answered, for which its process has to start.`,
      tables: [
        {
          head: ['from the start to', 'first start', 'later: median', 'best', 'worst'],
          rows: [
            row('/healthz answers', (start) => start.health),
            row('the first call has answered', (start) => start.callable),
            row('/readyz is well', (start) => start.ready),
            row('the first page has come', (start) => start.page),
          ],
        },
      ],
      aims: [{ wish: 'start → first call answered ≤ 700 ms', found: ms(callable), isMet: callable <= 700 }],
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
    const [callable, ready, page] = await Promise.all([
      askUntil(server, post, isCalled),
      answersOk(server, '/readyz'),
      askUntil(server, () => fetch(server.url), drained),
    ]);
    const since = (at: number): number => at - server.spawnedAt;
    return { health: since(health), callable: since(callable), ready: since(ready), page: since(page) };
  } finally {
    await server.end();
  }
}
