import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { createHost } from './create-host.ts';
import { createLogger } from './logger.ts';
import { oneTool, startHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';

it('lists how many extensions a start has loaded, until all serve or have failed; a name is unknown only then', async () => {
  // It is imported when the file is there.
  const waiting = `
import os
import time

while not os.path.exists(os.path.join(os.path.dirname(__file__), "go")):
    time.sleep(0.01)
`;
  const { host: first, folder, remove } = await startHost({ 'quick/extension.ts': oneTool('quick', 'yes') });
  expect(first.extensions.list().loading).toBeNull();
  await first.close();
  const slow = path.join(folder, 'extensions', 'slow');
  await mkdir(slow);
  await writeFile(path.join(slow, 'extension.py'), waiting);
  const made = await createHost(first.config, createLogger({ write: () => undefined, readable: true }), { PATH: process.env['PATH'] });
  if (!made.ok) throw new Error(made.reason);
  const { host } = made;
  const seen: string[] = [];
  host.events.subscribe(({ type }) => seen.push(type));
  await vi.waitFor(() => expect(host.extensions.list().loading).toEqual({ loaded: 1, total: 2 }), { timeout: 20_000 });
  await vi.waitFor(() => expect(seen).toContain('snapshot.changed'), { timeout: 20_000 });
  const served = await serveHost(host);
  const answers = async (): Promise<unknown[]> =>
    Promise.all(
      ['/api/v1/extensions/late', '/api/v1/tools/late', '/api/v1/channels/late', '/api/v1/calls/late'].map(async (route) => {
        const answer = await fetch(`${served.url}${route}`);
        return [answer.status, ((await answer.json()) as { code: string }).code, answer.headers.get('retry-after')];
      }),
    );
  const unknownYet = [503, 'not_ready', '1'];
  expect(await answers()).toEqual([unknownYet, unknownYet, unknownYet, [404, 'call_not_found', null]]);
  await writeFile(path.join(slow, 'go'), '');
  await host.ready;
  expect(host.extensions.list().loading).toBeNull();
  expect(host.extensions.list().extensions.map(({ id, state }) => [id, state])).toEqual([
    ['quick', 'ready'],
    ['slow', 'failed'],
  ]);
  expect(await answers()).toEqual([
    [404, 'extension_not_found', null],
    [404, 'tool_not_found', null],
    [404, 'channel_not_found', null],
    [404, 'call_not_found', null],
  ]);
  await served.close();
  await host.close();
  await remove();
});
