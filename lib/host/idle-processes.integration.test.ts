import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isAlive } from '#lib/testing/child-processes.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, startHost } from '#lib/testing/living-host.ts';

const NOBODY = { name: null };
const node = (name: string, before: string, body: string): string => `${before}
export const TOOL = { label: 'Idle', name: '${name}', description: 'Returns a number.', parameters: {}, execute() { ${body} } };
`;
const python = (name: string, before: string, body: string): string => `${before}

def execute():
    ${body}

TOOL = {"label": "Idle", "name": "${name}", "description": "Returns a number.", "parameters": {}, "execute": execute}
`;

describe('the process of an extension without calls', () => {
  let living: LivingHost;
  beforeAll(async () => {
    living = await startHost(
      {
        'plain/extension.ts': node('plain', '', 'return process.pid;'),
        'plain_python/extension.py': python('plain_python', 'import os', 'return os.getpid()'),
        'counts/extension.ts': node('counts', 'let count = 0;', 'count += 1; return count;'),
        'counts_python/extension.py': python('counts_python', 'SEEN = []', 'SEEN.append(1); return len(SEEN)'),
        'chosen/extension.ts': node('chosen', 'let count = 0;', 'count += 1; return count;'),
        'declared/extension.ts': node('declared', 'export const KEEP_ALIVE = true;', 'return 1;'),
        'reports/extension.ts': node('reports', 'export const status = () => ({ connected: true });', 'return 1;'),
        'allowed/extension.ts': node('allowed', 'export const KEEP_ALIVE = false; let count = 0;', 'count += 1; return count;'),
        'ticks/extension.ts': node('ticks', 'setInterval(() => undefined, 60_000);', 'return 1;'),
        'loops/extension.ts': node('loops', '', 'setTimeout(() => { for (;;); }, 20); return process.pid;'),
        'waits_python/extension.py': python(
          'waits_python',
          'import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()',
          'return 1',
        ),
        'slow/extension.ts': `import { setTimeout as wait } from 'node:timers/promises';
          export const TOOL = { label: 'Idle', name: 'slow', description: 'Waits.', parameters: { ms: { type: 'number', required: true } },
            async execute({ ms }) { await wait(ms); return process.pid; } };`,
      },
      { extensionIdleMs: 100 },
    );
  });
  afterAll(() => living.remove());

  const processOf = (id: string) => living.extension(id)?.process;
  const until = (holds: () => boolean) => vi.waitUntil(holds, { timeout: 20_000, interval: 10 });
  const untilIdle = (id: string) => until(() => processOf(id)?.state === 'none');
  const resultOf = async (tool: string, args = {}) => (await living.call(tool, args)).result;

  it.each(['plain', 'plain_python'])('ends, and the next call starts another one (%s)', async (id) => {
    const before = await resultOf(id);
    await untilIdle(id);
    await until(() => !isAlive(Number(before)));
    expect(processOf(id)).toMatchObject({ pid: null, restarts: 0, kept: null });
    const after = await resultOf(id);
    expect(after).toEqual(expect.any(Number));
    expect(after).not.toBe(before);
  });

  it('keeps running with state in memory, with KEEP_ALIVE, and while something runs in it', async () => {
    await living.call('counts');
    await living.call('counts_python');
    await untilIdle('plain');
    await until(() => ['ticks', 'waits_python'].every((id) => processOf(id)?.kept === 'activity'));
    expect(processOf('counts')).toMatchObject({ state: 'running', kept: 'state' });
    expect(processOf('counts_python')).toMatchObject({ state: 'running', kept: 'state' });
    expect(processOf('declared')).toMatchObject({ state: 'running', kept: 'declared' });
    expect([await resultOf('counts'), await resultOf('counts_python')]).toEqual([2, 2]);
  });

  it('keeps running, or ends with state in memory, as a person chose; the choice survives a restart of the server', async () => {
    const actions = living.host.extensions;
    expect(must(await actions.keepAlive('chosen', true, NOBODY))).toMatchObject({ keep_alive: true });
    await living.call('chosen');
    expect(processOf('chosen')).toMatchObject({ state: 'running', kept: 'chosen' });
    must(await actions.keepAlive('chosen', false, NOBODY));
    await untilIdle('chosen');
    expect(await resultOf('chosen')).toBe(1);
    await untilIdle('chosen');
    living = await living.restart();
    expect(living.extension('chosen')).toMatchObject({ keep_alive: false });
    expect(await resultOf('chosen')).toBe(1);
    await untilIdle('chosen');
    expect(must(await living.host.extensions.keepAlive('chosen', null, NOBODY))).not.toHaveProperty('keep_alive');
    await living.call('chosen');
    expect(processOf('chosen')).toMatchObject({ state: 'running', kept: 'state' });
  });

  it('ends although its extension has a status(), which is read again after the next call', async () => {
    const statusOf = async (id: string) => {
      const { has_status, status } = must(await living.host.extensions.get(id));
      return { has_status, status };
    };
    await living.call('reports');
    await untilIdle('reports');
    expect(await statusOf('reports')).toEqual({ has_status: true, status: null });
    expect(processOf('reports')).toMatchObject({ state: 'none' });
    await living.call('reports');
    expect(await statusOf('reports')).toEqual({ has_status: true, status: { connected: true } });
    expect(await statusOf('plain')).toEqual({ has_status: false, status: null });
  });

  it('ends as unresponsive if it does not answer whether something runs in it', async () => {
    const pid = Number(await resultOf('loops'));
    await until(() => !isAlive(pid));
    await untilIdle('loops');
    const { lines } = must(living.host.extensions.logs('loops', {}));
    expect(lines.map(({ message }) => message)).toContain('The process stopped answering and was ended');
    expect(processOf('loops')).toMatchObject({ pid: null, kept: null });
  });

  it('ends with state if the source allows it', async () => {
    expect(await resultOf('allowed')).toBe(1);
    await untilIdle('allowed');
    expect(await resultOf('allowed')).toBe(1);
  });

  it('is not ended while a call runs, and no call fails that begins while it ends', async () => {
    expect(await resultOf('slow', { ms: 1_000 })).toEqual(expect.any(Number));
    // The process ends between 100 and 200 ms after a call.
    for (let ms = 80; ms < 220; ms += 5) {
      const ended = await living.call('plain');
      expect(ended.status).toBe('succeeded');
      await resultOf('slow', { ms });
    }
  });

  it('is explained with its settings', async () => {
    const idle = async (id: string) => must(await living.host.extensions.settings(id)).settings.find(({ name }) => name === 'idle');
    expect(await idle('counts')).toMatchObject({
      value: 'kept: calls may change its state in memory',
      variable: 'EXTENSION_IDLE_SECONDS',
    });
    expect((await idle('counts'))?.change).toContain('KEEP_ALIVE = false');
    must(await living.host.extensions.keepAlive('counts', true, NOBODY));
    expect((await idle('counts'))?.change).toBe('Choose “End when idle” or “Automatic” beside its process on its page.');
    expect(await idle('plain')).toMatchObject({ value: 'ends after 100 ms without calls' });
  });
});
