import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, oneTool, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost | null = null;
const start = async (...args: Parameters<typeof startHost>): Promise<LivingHost> => (living = await startHost(...args));
const PATIENCE = { timeout: 15_000 };

afterEach(async () => {
  await living?.remove();
  living = null;
});

describe('what an extension sees of the environment', () => {
  it('is chosen: its own .env, what EXTENSION_ENV names, and never the variables of the host', async () => {
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
  it('also holds what one printed that failed while it was loaded', async () => {
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

  it('is what status() answers at that moment, or the words of its error', async () => {
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
