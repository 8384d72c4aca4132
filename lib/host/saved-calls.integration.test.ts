import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HostEvent } from '#lib/contract/events.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import { type LivingHost, must, refusal, startHost } from '#lib/testing/living-host.ts';
import { saveCallRequest } from '#lib/testing/api-records.ts';

let living: LivingHost | null = null;
const ADA = { name: 'Ada' };

afterEach(async () => {
  await living?.remove();
  living = null;
});

/** Returns its arguments; fails on `fail`. */
const ECHO = `export const TOOL = { label: 'T', name: 'echo_all', description: 'Echoes.', parameters: { type: 'object', properties: { city: { type: 'string' }, fail: { type: 'boolean' }, api_key: { type: 'string' }, pin: { type: 'string', writeOnly: true }, keys: { type: 'array', items: { type: 'string', writeOnly: true } } } },
  execute(args) { if (args.fail) throw Object.assign(new Error('No such city.'), { kind: 'not_found' }); return { ...args, days: [1, 2] }; } };`;

async function start(): Promise<LivingHost> {
  living = await startHost({ 'a/extension.ts': ECHO });
  return living;
}

async function save({ host }: LivingHost, more: Readonly<Record<string, unknown>>): Promise<SavedCall> {
  return must(await host.savedCalls.save(saveCallRequest({ tool: 'echo_all', name: 'One', ...more }), ADA));
}

async function run({ host }: LivingHost, { id }: SavedCall) {
  return must(await host.savedCalls.start(id, null, 'web', ADA)).finished;
}

describe('a saved call', () => {
  it('runs as it was saved, after a restart', async () => {
    const first = await start();
    const saved = await save(first, { arguments: { city: 'Oslo' }, timeout_ms: 9_000 });
    expect(saved).toMatchObject({ tool: 'echo_all', name: 'One', created_by: 'Ada', left_out: [], expectation: null, last_run: null });
    const again = await first.restart();
    living = again;
    const { call, saved_call: after } = await run(again, saved);
    expect(call).toMatchObject({ tool: 'echo_all', arguments: { city: 'Oslo' }, status: 'succeeded', source: 'web', actor: 'Ada' });
    expect(after.last_run).toEqual({
      call_id: call.id,
      ran_at: call.started_at,
      revision: 1,
      status: 'succeeded',
      passed: null,
      failed_because: null,
    });
    expect(await again.host.savedCalls.list('echo_all')).toEqual({ saved_calls: [after] });
  });

  it('is a check once it has an assertion', async () => {
    const host = await start();
    const good = await save(host, { arguments: { city: 'Oslo' }, expectation: { result_includes: { city: 'Oslo' } } });
    const wrong = await save(host, {
      name: 'Wrong',
      arguments: { city: 'Oslo' },
      expectation: { result_schema: { required: ['wind'], properties: { days: { maxItems: 1 } } } },
    });
    const refused = await save(host, {
      name: 'Refused',
      arguments: { fail: true },
      expectation: { status: 'failed', error_kind: 'not_found' },
    });
    expect((await run(host, good)).saved_call.last_run).toMatchObject({ passed: true, failed_because: null });
    expect((await run(host, refused)).saved_call.last_run).toMatchObject({ passed: true, status: 'failed' });
    const { last_run: last } = (await run(host, wrong)).saved_call;
    expect(last).toMatchObject({ passed: false, status: 'succeeded' });
    expect(last?.failed_because).toMatch(/^result\/wind is required.*; result\/days .*\.$/);
  });

  it('fails when its schema is too expensive, and the next check still runs', async () => {
    const host = await start();
    const costly = { properties: { city: { pattern: '^(a+)+$' } } };
    const saved = await save(host, { arguments: { city: `${'a'.repeat(40)}!` }, expectation: { result_schema: costly } });
    expect((await run(host, saved)).saved_call.last_run).toMatchObject({ passed: false });
    const cheap = await save(host, { name: 'Cheap', expectation: { result_schema: { type: 'object' } } });
    expect((await run(host, cheap)).saved_call.last_run).toMatchObject({ passed: true });
  });

  it('is stored without its secrets, and requires them for each run', async () => {
    const host = await start();
    const saved = await save(host, {
      arguments: { city: 'Oslo', api_key: 'correct-horse', pin: '4711-secret' },
      expectation: { result_includes: { city: 'Oslo', api_key: 'correct-horse', pin: '4711-secret' } },
    });
    expect(saved).toMatchObject({ arguments: { city: 'Oslo' }, left_out: ['/api_key', '/pin'] });
    expect(JSON.stringify(await host.host.savedCalls.list('echo_all'))).not.toMatch(/correct-horse|4711/);
    expect(refusal(await host.host.savedCalls.start(saved.id, null, 'api', ADA)).code).toBe('redacted_arguments');
    const given = { city: 'Oslo', api_key: 'another-horse', pin: '1234-other' };
    const { saved_call: after } = await must(await host.host.savedCalls.start(saved.id, given, 'api', ADA)).finished;
    expect(after.last_run).toMatchObject({ passed: true });
    expect(JSON.stringify(await host.host.savedCalls.get(saved.id))).not.toMatch(/another-horse|1234-other/);
  });

  it('is stored without secrets in a list, whose items keep their positions', async () => {
    const saved = await save(await start(), { arguments: { keys: ['a-secret', 'b-secret'], city: 'Oslo' } });
    expect(saved).toMatchObject({ arguments: { keys: [null, null], city: 'Oslo' }, left_out: ['/keys/0', '/keys/1'] });
  });

  it('is changed field by field, and clears its last run when the call changes', async () => {
    const host = await start();
    const { savedCalls } = host.host;
    const saved = await save(host, { arguments: { city: 'Oslo', pin: 'secret' } });
    await must(await savedCalls.start(saved.id, { city: 'Oslo' }, 'web', ADA)).finished;
    const renamed = must(await savedCalls.change(saved.id, { name: 'Two' }, ADA));
    expect(renamed).toMatchObject({ name: 'Two', arguments: { city: 'Oslo' }, left_out: ['/pin'], last_run: { status: 'succeeded' } });
    const expecting = must(await savedCalls.change(saved.id, { expectation: { status: 'succeeded' } }, ADA));
    expect(expecting).toMatchObject({ expectation: { status: 'succeeded' }, left_out: ['/pin'], last_run: null });
    const other = must(await savedCalls.change(saved.id, { arguments: { city: 'Bergen' }, expectation: null, timeout_ms: 5 }, ADA));
    expect(other).toMatchObject({ arguments: { city: 'Bergen' }, left_out: [], expectation: null, timeout_ms: 5 });
    expect(must(await savedCalls.get(saved.id))).toEqual(other);
  });

  it('stores both of two concurrent changes', async () => {
    const host = await start();
    const { savedCalls } = host.host;
    const saved = await save(host, { arguments: { city: 'Oslo' } });
    await Promise.all([
      savedCalls.change(saved.id, { expectation: { status: 'succeeded' } }, ADA),
      savedCalls.change(saved.id, { name: 'Two' }, ADA),
      savedCalls.change(saved.id, { timeout_ms: 5 }, ADA),
    ]);
    expect(must(await savedCalls.get(saved.id))).toMatchObject({ name: 'Two', timeout_ms: 5, expectation: { status: 'succeeded' } });
  });

  it('is refused with a hint', async () => {
    const host = await start();
    const { savedCalls } = host.host;
    const asked = (more: Readonly<Record<string, unknown>>) => saveCallRequest({ tool: 'echo_all', name: 'One', ...more });
    const saving = async (more: Readonly<Record<string, unknown>>) => refusal(await savedCalls.save(asked(more), ADA));
    const saved = await save(host, {});
    expect((await saving({})).detail).toContain('already has a saved call named “One”');
    expect((await saving({ tool: 'none' })).code).toBe('tool_not_found');
    expect((await saving({ arguments: { city: 'x'.repeat(LIMITS.savedCallBytes) } })).code).toBe('body_fields_invalid');
    expect((await saving({ expectation: { status: 'failed', result_includes: 1 } })).detail).toContain(
      'Only a succeeded call has a result',
    );
    expect((await saving({ expectation: { error_kind: 'timeout' } })).detail).toContain('has no error');
    expect((await saving({ expectation: { result_schema: { type: 'text' } } })).detail).toMatch(/^result_schema .*type/);
    expect((await saving({ expectation: { result_schema: { $ref: 'https://example.com/x' } } })).code).toBe('body_fields_invalid');
    expect(refusal(await savedCalls.start('none', null, 'api', ADA)).code).toBe('saved_call_not_found');
    expect(must(await savedCalls.remove(saved.id, ADA))).toEqual(saved);
    expect(refusal(await savedCalls.remove(saved.id, ADA)).code).toBe('saved_call_not_found');
    expect(refusal(await savedCalls.change(saved.id, { name: 'x' }, ADA)).code).toBe('saved_call_not_found');
  });

  it('notifies other pages of every change and of each checked run', async () => {
    const host = await start();
    const emitted: HostEvent[] = [];
    host.host.events.subscribe((event) => emitted.push(event), ['snapshot.changed', 'call.progress']);
    const saved = await save(host, {});
    const { call } = await run(host, saved);
    must(await host.host.savedCalls.change(saved.id, { name: 'Two' }, ADA));
    must(await host.host.savedCalls.remove(saved.id, ADA));
    await vi.waitFor(() => {
      const ofTool = emitted.filter(({ data }) => data.tool === 'echo_all');
      expect(ofTool.map(({ type, data }) => [type, data.call_id, data.status])).toEqual([
        ['snapshot.changed', undefined, undefined],
        ['call.progress', call.id, 'succeeded'],
        ['snapshot.changed', undefined, undefined],
        ['snapshot.changed', undefined, undefined],
      ]);
    });
  });

  it('is listed when another revision would reject it, with the reason, ignoring secrets set by each run', async () => {
    const tool = (name: string, properties: string) =>
      `{ label: 'T', name: '${name}', description: 'D.', parameters: { type: 'object', properties: { ${properties} }, required: ['api_key'] }, execute: () => 1 }`;
    const key = "api_key: { type: 'string' }";
    const first = `export const TOOLS = [${tool('kept', `city: {}, ${key}`)}, ${tool('gone', `city: {}, ${key}`)}];`;
    living = await startHost({ 'a/extension.ts': first });
    const secret = { api_key: 'open sesame' };
    const fits = await save(living, { tool: 'kept', name: 'Fits', arguments: { city: 'Oslo', ...secret } });
    const refused = await save(living, { tool: 'kept', name: 'Number', arguments: { city: 7, ...secret } });
    const meant = { status: 'failed', error_kind: 'invalid_parameters' };
    await save(living, { tool: 'kept', name: 'Meant so', arguments: { city: 8, ...secret }, expectation: meant });
    const lost = await save(living, { tool: 'gone', name: 'Lost', arguments: secret });
    expect([fits.left_out, lost.left_out]).toEqual([['/api_key'], ['/api_key']]);

    await living.save({ 'a/extension.ts': `export const TOOLS = [${tool('kept', `city: { type: 'string' }, ${key}`)}];` });
    await living.reload();
    const compared = must(await living.host.extensions.compare('a', { from: 1, to: 2 }));
    expect(compared).toMatchObject({ checked_calls: 0, refused: [], checked_saved_calls: 3 });
    expect(compared.refused_saved_calls).toEqual([
      { saved_call_id: lost.id, name: 'Lost', tool: 'gone', required: false, tool_gone: true, issues: [] },
      {
        saved_call_id: refused.id,
        name: 'Number',
        tool: 'kept',
        required: false,
        tool_gone: false,
        issues: [expect.objectContaining({ path: '/city', keyword: 'type' })],
      },
    ]);
    const [newest] = must(await living.host.extensions.get('a')).revisions;
    expect(newest?.tools_changed).toEqual({ since: 1, added: [], removed: ['gone'], changed: ['kept'], breaking: true });
    expect(newest?.files_changed).toEqual({ since: 1, added: [], removed: [], changed: ['a/extension.ts'] });
  });
});
