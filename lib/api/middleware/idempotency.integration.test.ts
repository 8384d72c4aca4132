import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callSchema } from '#lib/contract/call.ts';
import { savedCallSchema } from '#lib/contract/saved-call.ts';
import { type LivingHost, startHost } from '#lib/testing/living-host.ts';
import { type ServedHost, serveHost } from '#lib/testing/serve-host.ts';

const EXTENSION = `import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
const mark = (name, ctx) => appendFileSync(ctx.workspace_root + '/' + name, 'x');
export const TOOLS = [
  { label: 'Test', name: 'mark_once', description: 'Leaves a mark.', parameters: { name: { type: 'string' }, other: {} },
    execute: (args, ctx) => { mark(args.name, ctx); return { b: 1, a: [args.name] }; } },
  { label: 'Test', name: 'mark_and_fail', description: 'Leaves a mark.', parameters: { name: { type: 'string' } },
    execute: (args, ctx) => { mark(args.name, ctx); throw new Error('after the mark'); } },
  { label: 'Test', name: 'mark_and_wait', description: 'Leaves a mark and waits for a file.', parameters: { name: { type: 'string' } },
    execute: async (args, ctx) => {
      mark(args.name, ctx);
      while (!existsSync(ctx.workspace_root + '/' + args.name + '.go')) await wait(10);
      return 'gone on';
    } },
];
`;

let living: LivingHost;
let served: ServedHost;
beforeAll(async () => {
  living = await startHost({ 'marks/extension.js': EXTENSION });
  served = await serveHost(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
});

const marks = (name: string) => readFileSync(path.join(living.folder, 'workspace', name), 'utf8').length;
const post = (tool: string, key: string | null, body: string, headers: Record<string, string> = {}) =>
  postTo(`/tools/${tool}/call`, key, body, headers);
const postTo = (address: string, key: string | null, body: string, headers: Record<string, string> = {}) =>
  fetch(`${served.url}/api/v1${address}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === null ? {} : { 'idempotency-key': key }), ...headers },
    body,
  });
const bodyOf = (name: string) => JSON.stringify({ arguments: { name } });

describe('a call with an Idempotency-Key', () => {
  it('runs once and returns the same response, also with another order of fields', async () => {
    const first = await post('mark_once', 'key-1', '{"arguments": {"name": "one", "other": {"a": 1, "b": 2}}}');
    const again = await post('mark_once', 'key-1', '{"arguments": {"other": {"b": 2, "a": 1}, "name": "one"}}');
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    const call = callSchema.parse(await first.json());
    expect(callSchema.parse(await again.json())).toEqual(call);
    expect(call.result).toEqual({ b: 1, a: ['one'] });
    expect(marks('one')).toBe(1);
  });

  it('is not retried after a failure', async () => {
    const answers = [await post('mark_and_fail', 'key-2', bodyOf('two')), await post('mark_and_fail', 'key-2', bodyOf('two'))];
    for (const answer of answers) expect(await answer.json()).toMatchObject({ status: 'failed', error: { message: 'after the mark' } });
    expect(marks('two')).toBe(1);
  });

  it('is refused with another body or another tool', async () => {
    await post('mark_once', 'key-3', bodyOf('three'));
    for (const answer of [
      await post('mark_once', 'key-3', bodyOf('four')),
      await post('mark_and_fail', 'key-3', bodyOf('three')),
      await post('mark_once', 'key-3', '{"arguments": {"name": "three"}, "timeout_ms": 1000}'),
    ]) {
      expect([answer.status, await answer.json()]).toMatchObject([422, { code: 'idempotency_key_reused' }]);
    }
    expect(marks('three')).toBe(1);
  });

  it('is refused while the first request runs, and answered after its end', async () => {
    const running = await post('mark_and_wait', 'key-5', bodyOf('five'), { prefer: 'respond-async' });
    const { id } = callSchema.parse(await running.json());
    const early = await post('mark_and_wait', 'key-5', bodyOf('five'));
    expect([early.status, early.headers.get('retry-after'), await early.json()]).toMatchObject([
      409,
      '1',
      { code: 'idempotency_key_running', call_id: id },
    ]);
    await post('mark_once', null, bodyOf('five.go'));
    await expect.poll(async () => (await post('mark_and_wait', 'key-5', bodyOf('five'))).status).toBe(200);
    expect(callSchema.parse(await (await post('mark_and_wait', 'key-5', bodyOf('five'))).json())).toMatchObject({ id, result: 'gone on' });
    expect(marks('five')).toBe(1);
  });

  it('runs once when many requests arrive at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('mark_once', 'key-6', bodyOf('six'))));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200, 409]));
    expect(marks('six')).toBe(1);
  });

  it('can be sent again with its key after it was refused before it ran', async () => {
    expect((await post('mark_later', 'key-7', bodyOf('seven'))).status).toBe(404);
    await living.save({ 'later/extension.js': EXTENSION.replaceAll('mark_', 'mark_later_').replace('mark_later_once', 'mark_later') });
    await living.reload();
    expect((await post('mark_later', 'key-7', bodyOf('seven'))).status).toBe(200);
    expect(marks('seven')).toBe(1);
  });

  it('is recognized after a restart, and after its tool was removed', async () => {
    const first = callSchema.parse(await (await post('mark_once', 'key-8', bodyOf('eight'))).json());
    await served.close();
    await living.save({ 'marks/extension.js': null });
    living = await living.restart();
    served = await serveHost(living.host);
    const again = await post('mark_once', 'key-8', bodyOf('eight'));
    expect(callSchema.parse(await again.json())).toEqual(first);
    await living.save({ 'marks/extension.js': EXTENSION });
    await living.reload();
    expect(marks('eight')).toBe(1);
  });

  it('runs a replay once, and belongs to one original with its arguments', async () => {
    const { id } = callSchema.parse(await (await post('mark_once', null, bodyOf('ten'))).json());
    const first = await postTo(`/calls/${id}/replay`, 'key-10', '');
    const again = await postTo(`/calls/${id}/replay`, 'key-10', '');
    expect([first, again].map((answer) => answer.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    const replay = callSchema.parse(await first.json());
    expect(replay).toMatchObject({ replay_of: id, arguments: { name: 'ten' } });
    expect(callSchema.parse(await again.json())).toEqual(replay);
    for (const answer of [await postTo(`/calls/${id}/replay`, 'key-10', bodyOf('ten')), await post('mark_once', 'key-10', bodyOf('ten'))])
      expect(await answer.json()).toMatchObject({ code: 'idempotency_key_reused' });
    expect((await postTo(`/calls/${id}/replay`, 'two words', '')).status).toBe(400);
    expect(marks('ten')).toBe(2);
  });

  it('runs a saved call once', async () => {
    const body = JSON.stringify({ tool: 'mark_once', name: 'One', arguments: { name: 'eleven' }, expectation: { status: 'succeeded' } });
    const saved = savedCallSchema.parse(await (await postTo('/saved-calls', null, body)).json());
    const first = await postTo(`/saved-calls/${saved.id}/run`, 'key-11', '');
    const again = await postTo(`/saved-calls/${saved.id}/run`, 'key-11', '');
    expect([first, again].map((answer) => answer.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    const outcome = await first.json();
    expect(outcome).toMatchObject({ call: { result: { a: ['eleven'] } }, saved_call: { last_run: { passed: true } } });
    expect(await again.json()).toEqual(outcome);
    expect((await postTo(`/saved-calls/${saved.id}/run`, 'key-11', bodyOf('twelve'))).status).toBe(422);
    expect(marks('eleven')).toBe(1);
  });

  it.each(['', 'two words', 'x'.repeat(256), 'ümlaut'])('refuses the key %j', async (key) => {
    const answer = await post('mark_once', key, bodyOf('nine'));
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'request_malformed' }]);
  });
});
