import { mkdir, writeFile } from 'node:fs/promises';
import { watch } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createApiClient } from './api-client.ts';
import type { ApiClient } from './api-client.ts';
import { createExtensionFolder, EXTENSIONS, extensionId, toolName, toolText } from './extension-folder.ts';
import { median, ms, quantile, times } from './figures.ts';
import type { Section } from './report.ts';
import { answersOk, startProduct, wait } from './servers.ts';

/**
 * Time from a save to the first answer of the new tool, including the record on disk. Baseline, alternating with it: `fs.watch`
 * and an import in the same process.
 */

interface Live {
  readonly event: number;
  readonly callable: number;
}

const BETWEEN_MS = 350;
const GIVE_UP_MS = 15_000;

export async function measureSaves(isQuick: boolean): Promise<Section> {
  const edits = isQuick ? 20 : 100;
  const folders = isQuick ? 8 : 30;
  const folder = await createExtensionFolder();
  const server = await startProduct(folder.path);
  try {
    await answersOk(server, '/readyz');
    await answersOk(server, '/');
    const client = createApiClient(server);
    const awaitEvent = await listenForLoads(client);
    const baseline = await createBaseline(path.join(folder.path, 'baseline'));
    const saveAndCall = async (id: string, name: string): Promise<Live> => {
      const seen = awaitEvent(id);
      const began = performance.now();
      await folder.save(id, toolText(name));
      const event = (await seen) - began;
      const { call } = await client.call(name, { left: 1 });
      const callable = performance.now() - began;
      if (call?.status !== 'succeeded') throw new Error(`${name} was loaded and could not be called: ${JSON.stringify(call)}`);
      return { event, callable };
    };
    await wait(1_000);

    const changed: Live[] = [];
    const floors: number[] = [];
    for (let edit = 1; edit <= edits; edit += 1) {
      const at = edit % EXTENSIONS;
      changed.push(await saveAndCall(extensionId(at), toolName(at, edit)));
      await wait(BETWEEN_MS);
      floors.push(await baseline.edit(toolName(at, edit)));
    }
    const added: Live[] = [];
    for (let at = EXTENSIONS; at < EXTENSIONS + folders; at += 1) {
      await wait(BETWEEN_MS);
      added.push(await saveAndCall(extensionId(at), toolName(at)));
    }
    const hurried: Live[] = [];
    for (let edit = edits + 1; edit <= edits + folders; edit += 1) hurried.push(await saveAndCall(extensionId(0), toolName(0, edit)));
    baseline.close();
    client.close();

    const base = median(floors);
    const callables = changed.map((live) => live.callable);
    const row = (title: string, samples: readonly number[]): string[] => [
      title,
      String(samples.length),
      ms(median(samples)),
      ms(quantile(samples, 0.95)),
      ms(Math.max(...samples)),
      times(median(samples) / base),
    ];
    return {
      title: 'Save to first answer',
      method: `${EXTENSIONS} extensions are loaded. A file is written in place; measured until an event client receives \`extension.loaded\`, and until a call of the new tool answers over HTTP. Saves are ${BETWEEN_MS} ms apart, except in the last row. The baseline is \`fs.watch\` and \`import()\` in one process, without isolation, validation or history, alternating with the saves.`,
      tables: [
        {
          head: ['', 'saves', 'p50', 'p95', 'worst', 'p50 / baseline'],
          rows: [
            row(
              'edit of a file → event',
              changed.map((live) => live.event),
            ),
            row('edit of a file → call answered', callables),
            row(
              'new folder → event',
              added.map((live) => live.event),
            ),
            row(
              'new folder → call answered',
              added.map((live) => live.callable),
            ),
            row(
              'edit right after the previous one → call answered',
              hurried.map((live) => live.callable),
            ),
            row('baseline: fs.watch + import in process', floors),
          ],
        },
      ],
      targets: [
        { target: 'edit → call answered, p50 ≤ 25 ms', found: ms(median(callables)), isMet: median(callables) <= 25 },
        { target: 'edit → call answered, p95 ≤ 60 ms', found: ms(quantile(callables, 0.95)), isMet: quantile(callables, 0.95) <= 60 },
      ],
    };
  } finally {
    await server.end();
    await folder.remove();
  }
}

/** Time of the next load event of an extension. */
async function listenForLoads(client: ApiClient): Promise<(id: string) => Promise<number>> {
  const waiting = new Map<string, (at: number) => void>();
  await client.listen(({ type, extension }) => {
    if (type !== 'extension.loaded' || extension === null) return;
    waiting.get(extension)?.(performance.now());
    waiting.delete(extension);
  });
  return (id) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`No load event for ${id}`)), GIVE_UP_MS);
      waiting.set(id, (at) => {
        clearTimeout(timer);
        resolve(at);
      });
    });
}

interface Baseline {
  edit(name: string): Promise<number>;
  close(): void;
}

async function createBaseline(folder: string): Promise<Baseline> {
  await mkdir(folder);
  const file = path.join(folder, 'extension.ts');
  let imports = 0;
  let onChange = (): void => undefined;
  const watcher = watch(folder, () => onChange());
  return {
    edit: (name) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('fs.watch reported no change')), GIVE_UP_MS);
        const began = performance.now();
        onChange = () => {
          imports += 1;
          // A write in place first appears as an empty file; the next event follows.
          import(`${pathToFileURL(file).href}?${imports}`).then(
            (module: { readonly TOOL?: { readonly name: string } }) => {
              if (module.TOOL?.name !== name) return;
              clearTimeout(timer);
              resolve(performance.now() - began);
            },
            () => undefined,
          );
        };
        writeFile(file, toolText(name)).catch(reject);
      }),
    close: () => watcher.close(),
  };
}
