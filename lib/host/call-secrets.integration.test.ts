import { afterEach, describe, expect, it, vi } from 'vitest';
import { type LivingHost, must, refusal, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost | null = null;
const start = async (...args: Parameters<typeof startHost>): Promise<LivingHost> => (living = await startHost(...args));
const NOBODY = { name: null };
const PATIENCE = { timeout: 15_000 };
const ASK = { source: 'api', actor: NOBODY } as const;

afterEach(async () => {
  await living?.remove();
  living = null;
});

describe('a call with secrets', () => {
  it('never stores a secret, neither in arguments nor in results, and cannot be replayed with it', async () => {
    const { call, host } = await start({
      'a/extension.ts': `export const TOOL = { label: 'T', name: 'sign_in', description: 'Signs in.', parameters: { user: { type: 'string' }, password: { type: 'string' } }, execute({ password }, ctx) { ctx.log.info('using ' + password); if (password === 'wrong-one') throw new Error('bad password wrong-one'); return { echoed: password }; } };`,
    });
    const first = await call('sign_in', { user: 'ada', password: 'correct-horse' });
    expect(first).toMatchObject({
      arguments: { user: 'ada', password: '[redacted]' },
      redacted: ['/password'],
      result: { echoed: 'correct-horse' },
    });
    const second = await call('sign_in', { user: 'ada', password: 'wrong-one' });
    const stored = JSON.stringify([
      must(await host.calls.get(first.id)),
      must(await host.calls.get(second.id)),
      must(await host.calls.list({ limit: 50 })),
    ]);
    expect(stored).not.toMatch(/correct-horse|wrong-one/);
    expect(must(await host.calls.list({ limit: 50, q: 'correct' })).calls).toEqual([]);
    expect(refusal(await host.calls.replay(first.id, { arguments: null, ...ASK })).code).toBe('redacted_arguments');
    const again = must(await host.calls.replay(first.id, { arguments: { user: 'ada', password: 'another-one' }, ...ASK }));
    expect(JSON.parse(await again.finished)).toMatchObject({
      status: 'succeeded',
      replay_of: first.id,
    });
  });

  it('stores a URL without its password, and does not replay the mask', async () => {
    const { call, host } = await start({
      'a/extension.ts': `export const TOOL = { label: 'T', name: 'ask_database', description: 'Asks.', parameters: { url: { type: 'string' } }, execute({ url }, ctx) { ctx.log.info('asking ' + url); return { asked: url, other: 'redis://:made-here@cache' }; } };`,
    });
    const url = 'postgres://app:correct-horse@db.example.com/main';
    const done = await call('ask_database', { url });
    expect(done.result).toEqual({ asked: url, other: 'redis://:made-here@cache' });
    const hidden = 'postgres://app:[redacted]@db.example.com/main';
    const kept = must(await host.calls.get(done.id));
    expect(kept).toMatchObject({
      arguments: { url: hidden },
      redacted: ['/url'],
      result: { asked: hidden, other: 'redis://:[redacted]@cache' },
    });
    expect(kept.logs).toMatchObject([{ message: `asking ${hidden}` }]);
    expect(JSON.stringify(must(await host.extensions.get('a')).logs)).not.toContain('correct-horse');
    expect(refusal(await host.calls.replay(done.id, { arguments: null, ...ASK })).code).toBe('redacted_arguments');
  });

  it.each(['arguments', 'message', '123456', 'execution_error'])('ends for any secret: %s', async (password) => {
    const { call, host } = await start({
      'a/extension.ts': `export const TOOL = { label: 'T', name: 'sign_in', description: 'Signs in.', parameters: { password: { type: 'string' }, fails: { type: 'boolean' } }, execute({ password, fails }, ctx) { ctx.log.info('at ' + password, { n: Number(password) * 10 + 7, message: password }); ctx.progress(1, 2, 'with ' + password); if (fails) throw Object.assign(new Error('no ' + password), { data: { message: 1234567 } }); return { message: 1234567, password: 'other' }; } };`,
    });
    for (const fails of [false, true])
      expect(await call('sign_in', { password, fails })).toMatchObject({ status: fails ? 'failed' : 'succeeded' });
    expect(await call('sign_in', { city: 'x', password })).toMatchObject({ status: 'failed', error: { kind: 'invalid_parameters' } });
    const { calls } = must(await host.calls.list({ limit: 50 }));
    expect(calls.map(({ status }) => status)).toEqual(['failed', 'failed', 'succeeded']);
    expect(calls.at(-1)).toMatchObject({ result: { message: 1234567, password: '[redacted]' }, progress: { message: 'with [redacted]' } });
  });

  it('leaves no secret in the log of its extension', async () => {
    const { call, host } = await start({
      'a/extension.ts': `export const TOOL = { label: 'T', name: 'sign_in', description: 'Signs in.', parameters: { password: { type: 'string' } }, execute({ password }, ctx) { ctx.log.info('logged ' + password); console.log('printed ' + password); throw new Error('thrown ' + password); } };`,
    });
    expect(await call('sign_in', { password: 'correct-horse' })).toMatchObject({ status: 'failed' });
    const logs = must(await host.extensions.get('a'))
      .logs.map(({ message }) => message)
      .join('\n');
    expect(logs).toContain('logged [redacted]');
    expect(logs).toContain('printed [redacted]');
    expect(logs).not.toContain('correct-horse');
  });

  it('leaves no secret in that log after the call was abandoned', async () => {
    const { call, host } = await start({
      'a/extension.ts': `export const TOOL = { label: 'T', name: 'sign_in', description: 'Signs in.', timeout_ms: 200, parameters: { password: { type: 'string' } }, execute: ({ password }, ctx) => new Promise(() => ctx.signal.addEventListener('abort', () => ctx.log.info('late ' + password))) };`,
    });
    expect(await call('sign_in', { password: 'correct-horse' })).toMatchObject({ status: 'timed_out' });
    await vi.waitFor(
      async () => expect(must(await host.extensions.get('a')).logs.map(({ message }) => message)).toContain('late [redacted]'),
      PATIENCE,
    );
  });

  it('leaves no secret in that log from errors and output after its end', async () => {
    const { call, host } = await start({
      'a/extension.ts': `export const TOOL = { label: 'T', name: 'sign_in', description: 'Signs in.', parameters: { password: { type: 'string' } }, execute({ password }, ctx) { setTimeout(() => { ctx.log.info('said ' + password); throw new Error('thrown ' + password); }, 50); return 'done'; } };`,
    });
    expect(await call('sign_in', { password: 'correct-horse' })).toMatchObject({ status: 'succeeded' });
    const logs = async () =>
      must(await host.extensions.get('a'))
        .logs.map(({ message }) => message)
        .join('\n');
    await vi.waitFor(async () => expect(await logs()).toContain('thrown [redacted]'), PATIENCE);
    expect(await logs()).toContain('said [redacted]');
    expect(await logs()).not.toContain('correct-horse');
  });

  it('uses the schemas of the requested and the serving revision', async () => {
    const withSecret = (name: string): string =>
      `export const TOOL = { label: 'T', name: 'sign_in', description: 'Signs in.', parameters: { type: 'object', properties: { ${name}: { $ref: '#/$defs/code' } }, $defs: { code: { type: 'string', writeOnly: true } } }, execute: () => 'done' };`;
    const { call, host, save, extension } = await start({ 'a/extension.ts': withSecret('old_code') });
    await call('sign_in', { old_code: 'one-of-old' });
    await save({ 'a/extension.ts': withSecret('new_code') });
    await vi.waitFor(() => expect(extension('a')?.serving_revision).toBe(2), PATIENCE);
    const again = must(
      await host.calls.start({ tool: 'sign_in', arguments: { old_code: 'one-of-old', new_code: 'one-of-new' }, revision: 1, ...ASK }),
    );
    await again.finished;
    expect(must(await host.calls.get(again.id))).toMatchObject({ revision: 1, redacted: ['/old_code', '/new_code'] });
    expect(JSON.stringify(must(await host.calls.list({ limit: 50 })))).not.toMatch(/one-of/);
  });
});

describe('a secret in free text', () => {
  const SPILL = `const said = 'password=hunter2-hunter2 token: a1b2c3d4 ' + ['sk', 'proj', 'a1B2c3D4e5F6g7H8i9J0'].join('-');
export const TOOL = { label: 'T', name: 'spill', description: 'Spills.', parameters: { fails: { type: 'boolean' } },
  execute({ fails }, ctx) { console.log('printed ' + said); ctx.log.info('logged ' + said, { said }); ctx.progress(1, 2, 'at ' + said); process.stderr.write('wrote ' + said + '\\n'); if (fails) throw Object.assign(new Error('thrown ' + said), { data: { said } }); return 'returned ' + said; } };
export const status = () => ({ said });
`;
  const SECRETS = /hunter2|a1b2c3d4|a1B2c3D4/;

  it('is in no record, log, list, search or status, but in the answer to the caller', async () => {
    const { call, host, save, extension } = await start({ 'spill/extension.ts': SPILL });
    const done = await call('spill', {});
    expect(done.result).toMatch(SECRETS);
    const failed = await call('spill', { fails: true });
    expect(failed.error?.message).toMatch(SECRETS);
    await save({ 'broken/extension.ts': SPILL.replace('export const TOOL', 'throw new Error(said);\nexport const TOOL') });
    await vi.waitFor(() => expect(extension('broken')?.failure).not.toBeNull(), PATIENCE);
    const detail = must(await host.extensions.get('spill'));
    await vi.waitFor(
      async () => expect(JSON.stringify(must(await host.extensions.get('spill')).logs)).toContain('wrote password='),
      PATIENCE,
    );
    const kept = JSON.stringify([
      must(await host.calls.get(done.id)),
      must(await host.calls.get(failed.id)),
      must(await host.calls.list({ limit: 50 })),
      must(await host.extensions.get('spill')).logs,
      detail.status,
      extension('broken')?.failure,
      living?.log,
    ]);
    expect(kept).not.toMatch(SECRETS);
    for (const word of ['printed', 'logged', 'at', 'wrote', 'thrown', 'returned'])
      expect(kept).toContain(`${word} password=[redacted] token: [redacted] [redacted]`);
    expect(detail.status).toEqual({ said: 'password=[redacted] token: [redacted] [redacted]' });
    expect(must(await host.calls.list({ limit: 50, q: 'a1b2c3d4' })).calls).toEqual([]);
  });

  it('is redacted everywhere when it is a value of a .env or of an entry in mcp.json', async () => {
    const echo = `export const TOOL = { label: 'T', name: 'echo', description: 'Echoes.', parameters: { what: { type: 'string' } }, execute({ what }) { console.log('seen ' + what); return [what, process.env.WEATHER, btoa('user:' + process.env.WEATHER), encodeURIComponent(process.env.WEATHER)]; } };`;
    const { call, host } = await start({
      'a/extension.ts': echo,
      'a/.env': 'WEATHER="plain value/123456"\nPORT=8080',
      'b/mcp.json': '{"command":"node","args":["-e",""],"env":{"OTHER":"another-value-77"}}',
    });
    const done = await call('echo', { what: 'plain value/123456 and another-value-77 on 8080' });
    expect(done.result).toContain('plain value/123456');
    const kept = must(await host.calls.get(done.id));
    expect(kept).toMatchObject({ arguments: { what: '[redacted] and [redacted] on 8080' }, redacted: ['/what'] });
    expect(kept.result).toEqual([
      '[redacted] and [redacted] on 8080',
      '[redacted]',
      expect.stringMatching(/^.{0,8}\[redacted\].{0,4}$/),
      '[redacted]',
    ]);
    expect(JSON.stringify(must(await host.extensions.get('a')).logs)).toContain('seen [redacted] and [redacted] on 8080');
  });
});
