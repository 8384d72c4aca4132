import { afterEach, describe, expect, it, vi } from 'vitest';
import { type LivingHost, must, oneTool, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost | null = null;
const start = async (...args: Parameters<typeof startHost>): Promise<LivingHost> => (living = await startHost(...args));
const PATIENCE = { timeout: 15_000 };
const hungry = `export const TOOL = { label: 'T', name: 'fill_memory', description: 'Fills.', parameters: {}, execute: async () => {
  for (const held = []; ; await new Promise((done) => setTimeout(done, 20))) held.push(Buffer.alloc(8e6, 1));
} };`;

afterEach(async () => {
  await living?.remove();
  living = null;
});

describe('the environment of an extension', () => {
  it('contains its own .env and the names in EXTENSION_ENV, but never the variables of the host', async () => {
    const reader = `export const TOOL = { label: 'T', name: 'read_variables', description: 'Reads.', parameters: {}, execute: () => ({ ...process.env }) };`;
    const { call, save } = await start(
      { 'a/extension.ts': reader, 'a/.env': 'API_URL=https://example.org\n# comment\nQUOTED="two words"' },
      { extensionEnv: [] },
    );
    const seen = (await call('read_variables')).result;
    expect(seen).toMatchObject({ API_URL: 'https://example.org', QUOTED: 'two words' });
    expect(Object.keys(Object(seen)).filter((name) => /SECRET_OF|ADMIN/.test(name))).toEqual([]);
    await save({ 'a/.env': 'API_URL=https://changed.example.org' });
    await vi.waitFor(
      async () => expect((await call('read_variables')).result).toMatchObject({ API_URL: 'https://changed.example.org' }),
      PATIENCE,
    );
    living = (await living?.restart({ extensionEnv: ['*'] })) ?? null;
    const wide = Object(((await living?.call('read_variables')) ?? {}).result);
    expect(wide).toMatchObject({ SECRET_OF_THE_SHELL: 'visible' });
    expect(Object.keys(wide)).not.toContain('EXTENSIONS_ADMIN_TOKEN');
  });
});

describe('the log of an extension', () => {
  it('includes the output of an extension that failed to load', async () => {
    const { host } = await start({ 'a/extension.ts': `console.log('reading the settings');\nthrow new Error('no settings');` });
    expect(must(await host.extensions.get('a')).logs.map((line) => line.message)).toContain('reading the settings');
  });
});

describe('the status of an extension', () => {
  const withStatus = (body: string): string =>
    oneTool(
      'first_tool',
      'x',
      `export function status() { ${body} }\nexport const INSTRUCTIONS = 'Ask politely.';\nconsole.log('loaded');`,
    );

  it('is the current result of status(), or its error message', async () => {
    const { host, save } = await start({ 'a/extension.ts': withStatus('return { connected: true, queue: { length: 3 } };') });
    expect(must(await host.extensions.get('a'))).toMatchObject({
      status: { connected: true, queue: { length: 3 } },
      status_error: null,
      instructions: 'Ask politely.',
    });
    expect(must(await host.extensions.get('a')).logs.map((line) => line.message)).toContain('loaded');
    await save({ 'a/extension.ts': withStatus(`throw new Error('no connection');`) });
    await vi.waitFor(
      async () => expect(must(await host.extensions.get('a'))).toMatchObject({ status: null, status_error: 'no connection' }),
      PATIENCE,
    );
  });
});

describe('a repeated failure', () => {
  it('names an existing version, however often and whatever else loads', async () => {
    const broken = { 'a/extension.ts': `throw new Error('no settings');`, 'b/main.ts': 'export const word = 1;' };
    const host = await start(broken);
    expect(host.host.extensions.list().version).toBe(1);
    await host.reload();
    await host.reload(['a']);
    const seen = (on: LivingHost) => ['a', 'b'].map((id) => on.extension(id)?.failure);
    expect(seen(host)).toMatchObject([{ count: 3, snapshot_version: 1 }, { snapshot_version: 1 }]);
    living = await host.restart();
    await living.reload();
    expect(living.host.extensions.list().version).toBe(1);
    expect(seen(living)).toMatchObject([{ snapshot_version: 1 }, { snapshot_version: 1 }]);
    await living.save({ 'a/extension.ts': `throw new Error('no settings yet');` });
    await living.reload();
    expect(living.host.extensions.list().version).toBe(2);
    expect(seen(living)).toMatchObject([{ revision: 2, snapshot_version: 2 }, { revision: null }]);
  });

  it('names the running version when the process of a call is stopped and nothing else changes', async () => {
    const { host, call, extension } = await start(
      { 'a/extension.ts': oneTool('first_tool', 'x'), 'b/extension.ts': hungry },
      { extensionMemoryMb: 150 },
    );
    expect((await call('fill_memory')).error).toMatchObject({ data: { reason: 'memory_limit' } });
    const latest = async (): Promise<unknown> => must(await host.failures.list({ limit: 50 })).groups.map((group) => group.latest);
    await vi.waitFor(async () => expect(await latest()).toMatchObject([{ code: 'memory_limit', snapshot_version: 1 }]), PATIENCE);
    expect(extension('b')?.state).toBe('ready');
    expect(host.extensions.list().version).toBe(1);
  });
});

describe('an extension found during the reload of another', () => {
  it('is not listed yet', async () => {
    const { host, save, reload, extension } = await start({ 'a/extension.ts': oneTool('first_tool', 'x') }, { watch: 'off' });
    await save({ 'b/extension.ts': oneTool('second_tool', 'x') });
    expect(await reload(['a'])).toMatchObject({ loaded_extensions: ['a'], changed: [] });
    expect(host.extensions.list().extensions.map(({ id, state }) => [id, state])).toEqual([['a', 'ready']]);
    expect(await host.extensions.get('b')).toMatchObject({ ok: false, problem: { code: 'extension_not_found' } });
    expect(await reload(['b'])).toMatchObject({ loaded_extensions: ['a', 'b'], changed: ['b'] });
    expect(extension('b')?.state).toBe('ready');
  });
});
