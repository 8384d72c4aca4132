import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { missingSecretOf } from '#lib/contract/names.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, refusal, startHost } from '#lib/testing/living-host.ts';

const ADA = { name: 'Ada' };
const SERVER = path.resolve(import.meta.dirname, '../runtime/fixtures/mcp-server.mjs');

let living: LivingHost | null = null;
afterEach(async () => {
  await living?.remove();
  living = null;
});

async function start(files: Readonly<Record<string, string>>): Promise<LivingHost> {
  living = await startHost(files);
  return living;
}

/** A tool that answers with the length and the text of a variable, and waits when it is asked to. */
const READS = `export const SECRETS = ['API_KEY'];
const atImport = process.env.API_KEY;
export const TOOL = {
  label: 'Test',
  name: 'read_key',
  description: 'Answers with a secret.',
  parameters: { wait: { type: 'boolean', default: false }, other: { type: 'string', default: 'API_KEY' } },
  async execute({ wait, other }, { log }) {
    log.info('the key is ' + process.env[other]);
    if (wait) await new Promise((resolve) => setTimeout(resolve, 400));
    return { length: (process.env[other] ?? '').length, atImport: atImport.length, text: process.env[other] ?? null, pid: process.pid };
  },
};
`;

describe('a secret that is not set', () => {
  it('fails the extensions that name it, and loads them when it is set', async () => {
    const { host, extension } = await start({
      'reader/extension.ts': READS,
      'tools/py.py': 'import os\nSECRETS = ["API_KEY"]\n\ndef run() -> int:\n    """Say."""\n    return len(os.environ["API_KEY"])\n',
      'remote/mcp.json': JSON.stringify(
        { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: 'Bearer ${secret:REMOTE_KEY}' } },
        null,
        2,
      ),
    });
    for (const id of ['reader', 'tools/py', 'remote']) {
      const failure = extension(id)?.failure;
      expect(failure).toMatchObject({ code: 'config_missing', stage: 'start' });
      expect(missingSecretOf(failure ?? { code: '', message: '' })).toBe(id === 'remote' ? 'REMOTE_KEY' : 'API_KEY');
    }
    expect(extension('reader')?.failure).toMatchObject({ file: 'reader/extension.ts', line: 1 });
    expect(extension('remote')?.failure).toMatchObject({ file: 'remote/mcp.json', line: 4 });
    expect(host.secrets.list()).toEqual({
      secrets: [],
      missing: [
        { name: 'API_KEY', uses: ['reader', 'tools/py'] },
        { name: 'REMOTE_KEY', uses: ['remote'] },
      ],
    });

    const set = must(await host.secrets.put('API_KEY', 'first-value-1', ADA));
    expect(set).toMatchObject({ name: 'API_KEY', uses: ['reader', 'tools/py'], updated_by: 'Ada', readable: true });
    expect(JSON.stringify(host.secrets.list())).not.toContain('first-value-1');
    expect(extension('reader')).toMatchObject({ state: 'ready', failure: null });
    expect((await living?.call('py'))?.result).toBe(13);
  });

  it('can be set as an environment variable of the same name', async () => {
    const { host, extension } = await start({ 'reader/.env': 'API_KEY=from-the-file\n', 'reader/extension.ts': READS });
    expect(extension('reader')).toMatchObject({ state: 'ready' });
    expect(host.secrets.list().missing).toEqual([]);
    expect((await living?.call('read_key'))?.result).toMatchObject({ length: 13 });
  });
});

describe('a secret that is set', () => {
  it('is passed to the extensions that name it, and to no other', async () => {
    const { host, call } = await start({ 'reader/extension.ts': READS });
    must(await host.secrets.put('API_KEY', 'first-value-1', ADA));
    must(await host.secrets.put('OTHER_KEY', 'other-value-2', ADA));
    expect((await call('read_key', { other: 'OTHER_KEY' })).result).toMatchObject({ length: 0, text: null });
    expect((await call('read_key', { other: 'SECRETS_KEY' })).result).toMatchObject({ length: 0 });
  });

  it('is redacted in records, logs and the database', async () => {
    const { host, call, log, folder } = await start({ 'reader/extension.ts': READS });
    must(await host.secrets.put('API_KEY', 'first-value-1', ADA));
    const { id } = await call('read_key');
    const record = must(await host.calls.get(id));
    expect(record.result).toMatchObject({ length: 13, text: '[redacted]' });
    expect(JSON.stringify(record)).not.toContain('first-value-1');
    expect(JSON.stringify(must(await host.extensions.get('reader')))).not.toContain('first-value-1');
    expect(log.join('\n')).not.toContain('first-value-1');
    await host.close();
    const data = path.join(folder, 'data');
    for (const file of readdirSync(data).filter((name) => statSync(path.join(data, name)).isFile()))
      expect(readFileSync(path.join(data, file)).includes('first-value-1')).toBe(false);
  });

  it('is changed without losing a call: running ones finish, later ones see the new value', async () => {
    const { host, call, extension } = await start({
      'reader/extension.ts': READS,
      'bystander/extension.ts': READS.replaceAll('read_key', 'stand_by').replaceAll('API_KEY', 'PATH'),
    });
    must(await host.secrets.put('API_KEY', 'first-value-1', ADA));
    const before = host.extensions.list().version;
    const revision = extension('reader')?.revision;
    const bystander = await call('stand_by');
    const running = must(await host.calls.start({ tool: 'read_key', arguments: { wait: true }, source: 'api', actor: ADA }));
    must(await host.secrets.put('API_KEY', 'the-second-value-22', ADA));
    expect((await call('read_key')).result).toMatchObject({ length: 19, atImport: 19 });
    expect(JSON.parse(await running.finished)).toMatchObject({ status: 'succeeded', result: { length: 13 } });
    expect((await call('stand_by')).result).toEqual(bystander.result);
    expect(extension('reader')).toMatchObject({ state: 'ready', revision });
    expect(host.extensions.list().version).toBe(before);
  });

  it('fills the environment of an MCP server', async () => {
    const { host, extension } = await start({
      'local/mcp.json': JSON.stringify({ command: 'node', args: [SERVER], env: { TOKEN: 'x-${secret:LOCAL_KEY}' }, prefix: '' }),
    });
    expect(extension('local')).toMatchObject({ state: 'failed' });
    must(await host.secrets.put('LOCAL_KEY', 'local-value-3', ADA));
    expect(extension('local')).toMatchObject({ state: 'ready' });
  });

  it('stops the extensions that use it when it is deleted, also after a restart', async () => {
    const first = await start({ 'reader/extension.ts': READS });
    must(await first.host.secrets.put('API_KEY', 'first-value-1', ADA));
    expect(must(await first.host.secrets.remove('API_KEY', ADA))).toMatchObject({ name: 'API_KEY', uses: ['reader'] });
    expect(first.extension('reader')).toMatchObject({ state: 'failed', failure: { code: 'config_missing' } });
    expect(refusal(await first.host.secrets.remove('API_KEY', ADA)).code).toBe('secret_not_found');
    living = await first.restart();
    expect(living.extension('reader')).toMatchObject({ state: 'failed', failure: { code: 'config_missing' } });
    must(await living.host.secrets.put('API_KEY', 'again-value-4', ADA));
    expect((await living.call('read_key')).result).toMatchObject({ length: 13 });
  });

  it('survives a restart and the rotation of its key, and is lost with the key', async () => {
    const first = await start({ 'reader/extension.ts': READS });
    must(await first.host.secrets.put('API_KEY', 'first-value-1', ADA));
    living = await first.restart({ secretsKeys: ['k'.repeat(40)] });
    expect((await living.call('read_key')).result).toMatchObject({ length: 13 });
    writeFileSync(path.join(living.folder, 'data/secrets-key'), `${'z'.repeat(64)}\n`);
    living = await living.restart({ secretsKeys: ['k'.repeat(40)] });
    expect((await living.call('read_key')).result).toMatchObject({ length: 13 });
    living = await living.restart({ secretsKeys: [] });
    expect(living.host.secrets.list().secrets).toMatchObject([{ name: 'API_KEY', readable: false }]);
    expect(living.extension('reader')).toMatchObject({ state: 'failed', failure: { code: 'config_missing' } });
    expect(living.log.join('\n')).toContain('The secret API_KEY was encrypted with a key that this server does not have');
    must(await living.host.secrets.put('API_KEY', 'set-again-5', ADA));
    expect(living.extension('reader')).toMatchObject({ state: 'ready' });
  });
});

it('refuses names that an environment variable cannot have', async () => {
  const { host } = await start({});
  for (const name of ['', '1A', 'A-B', 'A B', 'A'.repeat(65), '${A}']) {
    expect(refusal(await host.secrets.put(name, 'some-value', ADA)).code).toBe('resource_name_invalid');
    expect(refusal(await host.secrets.remove(name, ADA)).code).toBe('resource_name_invalid');
  }
});
