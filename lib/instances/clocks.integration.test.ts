import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type * as z from 'zod';
import { callPageSchema, callSchema } from '#lib/contract/call.ts';
import { instanceListSchema } from '#lib/contract/instance.ts';
import { API } from '#lib/contract/paths.ts';
import { type InstanceProcess, startInstance } from '#lib/testing/instances.ts';
import { oneTool } from '#lib/testing/living-host.ts';
import { type SharedPostgres, sharedPostgres } from '#lib/testing/test-database.ts';

/** Two servers on one database; the clock of the second is an hour ahead. */
const AN_HOUR_AHEAD = `const Real = Date;
const now = () => Real.now() + 3_600_000;
globalThis.Date = new Proxy(Real, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});`;
const SLOW = `export const TOOL = { label: 'Slow', name: 'slow_tool', description: 'Waits to be cancelled.', parameters: {},
  execute: (_, ctx) => new Promise((resolve) => ctx.signal.addEventListener('abort', resolve)) };`;
const PATIENCE = { timeout: 60_000 };

let postgres: SharedPostgres;
let right: InstanceProcess;
let ahead: InstanceProcess;

beforeAll(async () => {
  postgres = await sharedPostgres();
  const database = await postgres.createDatabase();
  const files = { 'a/extension.ts': oneTool('first_tool', 'one'), 's/extension.ts': SLOW };
  right = await startInstance(database, files);
  ahead = await startInstance(database, files, { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(AN_HOUR_AHEAD)}` });
}, 180_000);
afterAll(async () => {
  await Promise.all([right.remove(), ahead.remove()]);
  await postgres.close();
});

const read = async <Value>(server: InstanceProcess, path: string, schema: z.ZodType<Value>): Promise<Value> =>
  schema.parse(await (await fetch(`${server.url}/api/v1${path}`)).json());
const post = (server: InstanceProcess, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ arguments: {} }),
  });
const call = async (server: InstanceProcess, headers: Readonly<Record<string, string>> = {}) =>
  callSchema.parse(await (await post(server, '/tools/first_tool/call', headers)).json());

it('shows both servers as ready and does not end a long call, which either server can cancel', async () => {
  await vi.waitFor(async () => {
    for (const server of [right, ahead])
      expect((await read(server, '/instances', instanceListSchema)).instances.map(({ state }) => state)).toEqual(['ready', 'ready']);
  }, PATIENCE);
  for (const [one, other] of [
    [right, ahead],
    [ahead, right],
  ] as const) {
    const answer = post(one, '/tools/slow_tool/call');
    const running = await vi.waitFor(async () => {
      const { calls } = await read(other, '/calls?status=running', callPageSchema);
      expect(calls).toMatchObject([{ tool: 'slow_tool', status: 'running' }]);
      return calls[0];
    }, PATIENCE);
    // Long enough that a silent server would be declared gone.
    const beats = new Set<string>();
    await vi.waitFor(async () => {
      const { instances } = await read(other, '/instances', instanceListSchema);
      expect(instances.map(({ state }) => state)).toEqual(['ready', 'ready']);
      const seen = instances.find(({ id }) => id === running?.instance)?.last_seen;
      beats.add(seen ?? '');
      expect(beats.size).toBeGreaterThan(7);
    }, PATIENCE);
    expect((await read(other, '/calls?status=running', callPageSchema)).calls).toHaveLength(1);
    expect((await fetch(`${other.url}/api/v1/calls/${running?.id}/cancel`, { method: 'POST' })).status).toBe(200);
    expect(await (await answer).json()).toMatchObject({ status: 'cancelled' });
  }
});

it('lists all calls of both servers, page by page, and runs a repeated request once', async () => {
  const made: string[] = [];
  for (let at = 0; at < 20; at += 1) made.push((await call(at % 2 === 0 ? right : ahead)).id);
  for (const server of [right, ahead]) {
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: z.infer<typeof callPageSchema> = await read(
        server,
        `/calls?tool=first_tool&limit=7${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        callPageSchema,
      );
      found.push(...page.calls.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(found.toSorted()).toEqual(made.toSorted());
  }
  for (const [one, other] of [
    [right, ahead],
    [ahead, right],
  ] as const) {
    const key = { 'idempotency-key': `key-${one.port}` };
    const first = await call(one, key);
    expect((await call(other, key)).id).toBe(first.id);
  }
});

it('serves a file saved on either server', async () => {
  for (const [at, server] of [right, ahead].entries()) {
    const text = oneTool(`saved_${at}`, 'saved');
    const saved = await fetch(`${server.url}${API.source(`b${at}/extension.ts`)}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text, expected_hash: null }),
    });
    expect([saved.status, await saved.text()]).toEqual([200, expect.stringContaining('extension.ts')]);
    for (const other of [right, ahead])
      await vi.waitFor(async () => expect((await post(other, `/tools/saved_${at}/call`)).status).toBe(200), PATIENCE);
  }
});
