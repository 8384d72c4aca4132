import { createApiClient } from './api-client.ts';
import { createExtensionFolder, extensionId, toolText } from './extension-folder.ts';
import { median, ms, quantile } from './figures.ts';
import type { Section } from './report.ts';
import { answersOk, startProduct, wait } from './servers.ts';

/**
 * Calls lost while their extension is saved repeatedly: refused connections, invalid answers, and failed calls. Calls are sent
 * at a fixed rate.
 */

const CALLS_A_SECOND = 100;
const BETWEEN_RELOADS_MS = 150;
const GIVE_UP_MS = 15_000;
const TOOL = 'add_slowly';
/** Long enough that calls are running at every swap. */
const WAIT_MS = 40;

export async function measureReloads(isQuick: boolean): Promise<Section> {
  const reloads = isQuick ? 10 : 50;
  const folder = await createExtensionFolder();
  await folder.save(extensionId(0), toolText(TOOL, { waitMs: WAIT_MS }));
  const server = await startProduct(folder.path);
  try {
    await answersOk(server, '/readyz');
    await answersOk(server, '/');
    const client = createApiClient(server);
    await client.call(TOOL, { left: 1 });
    let onLoaded = (): void => undefined;
    await client.listen(({ type }) => {
      if (type === 'extension.loaded') onLoaded();
    });
    const loaded = (): Promise<void> =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('No event for a save')), GIVE_UP_MS);
        onLoaded = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    const latencies: number[] = [];
    const answers = new Set<string>();
    const lost: string[] = [];
    const pending = new Set<Promise<void>>();
    const callOnce = async (): Promise<void> => {
      const began = performance.now();
      try {
        const { status, call } = await client.call(TOOL, { left: 1 });
        if (call?.status !== 'succeeded') lost.push(`HTTP ${status} ${JSON.stringify(call)}`);
        else answers.add(JSON.stringify(call.result));
        latencies.push(performance.now() - began);
      } catch (error) {
        lost.push(String(error));
      }
    };
    const beganAt = performance.now();
    let sent = 0;
    const clock = setInterval(() => {
      for (const due = ((performance.now() - beganAt) / 1_000) * CALLS_A_SECOND; sent < due; sent += 1) {
        const call = callOnce().finally(() => pending.delete(call));
        pending.add(call);
      }
    }, 1_000 / CALLS_A_SECOND);
    for (let reload = 1; reload <= reloads; reload += 1) {
      await wait(BETWEEN_RELOADS_MS);
      const reloaded = loaded();
      await folder.save(extensionId(0), toolText(TOOL, { waitMs: WAIT_MS, answer: reload }));
      await reloaded;
    }
    await wait(BETWEEN_RELOADS_MS);
    clearInterval(clock);
    await Promise.all(pending);
    client.close();
    if (lost.length > 0) console.log(`lost: ${[...new Set(lost)].slice(0, 5).join('\n')}`);
    return {
      title: 'Calls during reloads',
      method: `One of 50 extensions is saved ${reloads} times, each ${BETWEEN_RELOADS_MS} ms after the previous one loaded, while ${CALLS_A_SECOND} calls a second use its tool, which takes ${WAIT_MS} ms. A call that did not succeed is lost.`,
      tables: [
        {
          head: ['', 'reloads', 'contents that answered', 'calls', 'lost', 'p50', 'p99', 'worst'],
          rows: [
            [
              'saves under load',
              String(reloads),
              String(answers.size),
              String(sent),
              String(lost.length),
              ms(median(latencies)),
              ms(quantile(latencies, 0.99)),
              ms(Math.max(...latencies)),
            ],
          ],
        },
      ],
      targets: [{ target: 'no call lost', found: String(lost.length), isMet: lost.length === 0 }],
    };
  } finally {
    await server.end();
    await folder.remove();
  }
}
