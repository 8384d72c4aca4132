import { afterEach, describe, expect, it } from 'vitest';
import { callSchema, callStatsQuerySchema } from '#lib/contract/call.ts';
import { exportCalls } from '#lib/api/routes/calls.ts';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost | null = null;

afterEach(async () => {
  await living?.remove();
  living = null;
});

const ECHO = `export const TOOL = { label: 'T', name: 'echo_all', description: 'Echoes.', parameters: { type: 'object', properties: { text: { type: 'string' } } },
  execute: ({ text }) => text };`;

async function start(): Promise<LivingHost> {
  living = await startHost({ 'a/extension.ts': ECHO });
  return living;
}

describe('the history of a host', () => {
  it('is counted by a filter', async () => {
    const { call, host } = await start();
    await call('echo_all', { text: 'a' });
    await call('echo_all', { text: 1 });
    const stats = must(await host.calls.stats(callStatsQuerySchema.parse({ error_kind: 'invalid_parameters' })));
    expect(stats.total).toMatchObject({ calls: 1, failed: 1 });
  });

  it('is exported completely, page by page, with long values', async () => {
    const { call, host } = await start();
    const long = 'x'.repeat(5_000);
    await Promise.all(Array.from({ length: 250 }, (_, at) => call('echo_all', { text: `${at}${at % 100 === 0 ? long : ''}` })));
    const answer = exportCalls(host, { tool: 'echo_all', format: 'ndjson' });
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="calls-\d{4}-\d\d-\d\d\.ndjson"$/);
    const calls = (await answer.text()).split('\n').slice(0, -1);
    const texts = calls.map((line) => callSchema.parse(JSON.parse(line)).result);
    expect(new Set(texts).size).toBe(250);
    expect(texts).toContain(`200${long}`);
    expect(await exportCalls(host, { status: ['failed'], format: 'ndjson' }).text()).toBe('');
  });

  it('is exported as CSV without formulas', async () => {
    const { call, host } = await start();
    await call('echo_all', { text: '=1+1' });
    const table = await exportCalls(host, { format: 'csv' }).text();
    const [head, row] = table.split('\r\n');
    expect(head).toMatch(/^id,started_at,/);
    const firstBytes = async (marked: boolean) =>
      [...new Uint8Array(await exportCalls(host, { format: 'csv', byte_order_mark: marked }).arrayBuffer())].slice(0, 3);
    expect(await firstBytes(true)).toEqual([0xef, 0xbb, 0xbf]);
    expect(await firstBytes(false)).toEqual([...new TextEncoder().encode('id,')]);
    expect(row).toContain('echo_all');
    expect(table).not.toMatch(/(^|,)=/m);
  });

  it('ends an export when the client disconnects', async () => {
    const { call, host } = await start();
    await Promise.all(Array.from({ length: 210 }, () => call('echo_all', { text: 'a' })));
    const reader = exportCalls(host, { format: 'ndjson' }).body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
    expect((await reader?.read())?.done).toBe(true);
  });
});
