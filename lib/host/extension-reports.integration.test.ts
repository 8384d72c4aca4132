import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extensionLogPageSchema, extensionResourcesSchema, extensionSettingsSchema } from '#lib/contract/extension-reports.ts';
import type { SettingName } from '#lib/contract/extension-reports.ts';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

const talker = (word: string): string => `export const TOOL = {
  label: 'Talk', name: 'talk', description: 'Says a word.', timeout_ms: 5000,
  parameters: { word: { type: 'string', default: '${word}' } },
  execute({ word }, ctx) { ctx.log.warn('said ' + word); return word; },
};
`;

describe('the reports of one extension', () => {
  let living: LivingHost;
  beforeAll(async () => {
    living = await startHost(
      { 'talker/extension.js': talker('one'), 'talker/.env': 'TALKER_KEY=a secret value\n' },
      { extensionAllow: [{ extension: 'talker', permission: 'net' }] },
    );
  });
  afterAll(() => living.remove());

  const logs = (after?: string) =>
    extensionLogPageSchema.parse(must(living.host.extensions.logs('talker', after === undefined ? {} : { after })));
  const messages = (after?: string) => logs(after).lines.map(({ message }) => message);

  it('return the log from the last position, and that of the next revision from its beginning', async () => {
    await living.call('talk');
    expect(messages()).toContain('said one');
    const { cursor, revision } = logs();
    expect(revision).toBe(1);
    await living.call('talk', { word: 'two' });
    expect(messages(cursor)).toEqual(['said two']);
    await living.save({ 'talker/extension.js': talker('three') });
    await living.reload();
    await living.call('talk');
    expect(logs(cursor)).toMatchObject({ revision: 2, restarted: true });
    expect(messages(cursor)).toContain('said three');
    expect(messages(cursor)).not.toContain('said one');
  });

  it('show the memory of its process with the running revision', async () => {
    await living.call('talk');
    const found = extensionResourcesSchema.parse(must(living.host.extensions.resources('talker')));
    expect(found).toMatchObject({ unavailable: null, memory_limit_bytes: 512 * 1_048_576 });
    expect(found.samples.at(-1)).toMatchObject({ revision: 2 });
    expect(found.samples.at(-1)?.memory_bytes).toBeGreaterThan(10 * 1_048_576);
    expect(found.samples.at(-1)?.memory_bytes).toBeLessThan(512 * 1_048_576);
  });

  it('show settings with their origin, and names of variables without their values', async () => {
    const report = must(await living.host.extensions.settings('talker'));
    const { settings, environment } = extensionSettingsSchema.parse(report);
    const setting = (name: SettingName) => settings.find((each) => each.name === name);
    expect(setting('permissions')).toMatchObject({ value: 'net', variable: 'EXTENSION_ALLOW', is_set: false });
    expect(setting('interpreter')?.value).toBe(`Node ${process.versions.node}`);
    expect(setting('memory_limit')).toMatchObject({ value: '512 MiB of resident memory', variable: 'EXTENSION_MEMORY_MB' });
    expect(setting('call_timeout')?.value).toBe('60 s; by timeout_ms of the tool: talk 5 s');
    expect(setting('disabled')).toMatchObject({ value: 'no', variable: null });
    expect(environment).toContainEqual({ name: 'TALKER_KEY', from: '.env' });
    expect(environment).toContainEqual({ name: 'SECRET_OF_THE_SHELL', from: 'EXTENSION_ENV' });
    expect(environment).toContainEqual({ name: 'PATH', from: 'always' });
    expect(JSON.stringify(report)).not.toMatch(/a secret value|visible|EXTENSIONS_ADMIN_TOKEN/);
  });

  it('show changed settings while it runs', async () => {
    must(await living.host.extensions.pin('talker', 1, { name: 'Mia' }));
    const pinned = must(await living.host.extensions.settings('talker')).settings.find(({ name }) => name === 'pinned');
    expect(pinned?.value).toBe('to revision 1');
  });

  it('are refused for an unknown extension', async () => {
    const { extensions } = living.host;
    const answers = [extensions.logs('nobody', {}), extensions.resources('nobody'), await extensions.settings('nobody')];
    for (const answer of answers) expect(answer).toMatchObject({ ok: false, problem: { code: 'extension_not_found' } });
  });
});
