import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CLIENT_FILES } from '#lib/servers/client-files-for-tests.ts';
import { type HostChange, type LivingHost, must, oneTool, refusal, startHost } from '#lib/testing/living-host.ts';

const ADA = { name: 'Ada' };
const SERVER = path.resolve(import.meta.dirname, '../runtime/fixtures/mcp-server.mjs');
const LOCAL = { command: 'node', args: [SERVER] };

let living: LivingHost | null = null;
afterEach(async () => {
  await living?.remove();
  living = null;
});

async function start(files: Readonly<Record<string, string>> = {}, change: HostChange = {}): Promise<LivingHost> {
  living = await startHost(files, change);
  return living;
}

const PATIENCE = { timeout: 15_000 };

const listFile = (folder: string): string => readFileSync(path.join(folder, 'extensions/mcp.json'), 'utf8');

describe('a list that cannot be read', () => {
  const one = { ...LOCAL, prefix: 'one_' };
  const two = { ...LOCAL, prefix: 'two_' };
  const files = { 'mcp.json': JSON.stringify({ mcpServers: { one, two } }) };

  it.each([
    { what: 'for a comma at its end', text: `${files['mcp.json']},` },
    { what: 'because it is of another kind', text: '[]' },
    { what: 'for its renamed key', text: JSON.stringify({ servers: { one, two } }) },
    { what: 'because it is empty', text: '' },
  ])('fails as mcp.json $what, and its servers keep serving until a readable list changes them', async ({ text }) => {
    const { save, extension, reload, call } = await start(files);
    // On a busy machine a server may need a second start, which needs a readable list.
    const ready = { state: 'ready', failure: null };
    await vi.waitFor(() => expect([extension('one'), extension('two')]).toMatchObject([ready, ready]), PATIENCE);
    const pid = extension('two')?.process.pid;
    await save({ 'mcp.json': text });
    await vi.waitFor(() => expect(extension('mcp.json')?.state).toBe('failed'), PATIENCE);
    await reload();
    expect(extension('one')).toMatchObject(ready);
    expect((await call(extension('one')?.tools[0] ?? '')).error?.kind).not.toBe('extension_unavailable');
    await save({ 'mcp.json': JSON.stringify({ mcpServers: { two } }) });
    await vi.waitFor(() => expect([extension('mcp.json'), extension('one')]).toEqual([undefined, undefined]), PATIENCE);
    expect(extension('two')).toMatchObject({ state: 'ready', process: { pid } });
    await save({ 'mcp.json': text });
    await vi.waitFor(() => expect(extension('mcp.json')?.state).toBe('failed'), PATIENCE);
    await save({ 'mcp.json': null });
    await vi.waitFor(() => expect([extension('mcp.json'), extension('two')]).toEqual([undefined, undefined]), PATIENCE);
  });

  it('withdraws its servers with KEEP_LAST_GOOD=false', async () => {
    const { save, extension } = await start(files, { keepLastGood: false });
    await save({ 'mcp.json': '[]' });
    await vi.waitFor(() => expect([extension('mcp.json')?.state, extension('one')]).toEqual(['failed', undefined]), PATIENCE);
  });
});

describe('a server', () => {
  it('is added, changed and removed, each time with immediate effect', async () => {
    const { host, extension, folder } = await start();
    const { serverList } = host;
    expect(must(await serverList.put('local', LOCAL, false, ADA))).toMatchObject({
      name: 'local',
      file: 'mcp.json',
      config: LOCAL,
      secrets: [],
      extension: { id: 'local', kind: 'mcp', state: 'ready' },
    });
    expect(JSON.parse(listFile(folder))).toEqual({ mcpServers: { local: LOCAL } });
    must(await serverList.put('local', { ...LOCAL, prefix: 'mine_' }, false, ADA));
    expect(extension('local')?.tools.every((name) => name.startsWith('mine_'))).toBe(true);
    must(await serverList.put('local', { ...LOCAL, disabled: true }, false, ADA));
    expect(extension('local')).toMatchObject({ state: 'disabled' });
    expect(must(await serverList.list()).servers).toMatchObject([{ name: 'local', config: { disabled: true } }]);
    expect(must(await serverList.remove('local', ADA))).toMatchObject({ name: 'local' });
    expect(extension('local')).toBeUndefined();
    expect(JSON.parse(listFile(folder))).toEqual({ mcpServers: {} });
    expect(refusal(await serverList.remove('local', ADA)).code).toBe('server_not_found');
    const { snapshots } = must(await host.snapshots.list({ limit: 1 }));
    expect(snapshots).toMatchObject([{ cause: { kind: 'edit', actor: 'Ada', files: ['mcp.json'] } }]);
  });

  it('in its own folder is changed there', async () => {
    const { host, folder, extension } = await start({ 'own/mcp.json': JSON.stringify(LOCAL), 'own/notes.txt': 'x' });
    must(await host.serverList.put('own', { ...LOCAL, prefix: 'p_' }, false, ADA));
    expect(JSON.parse(readFileSync(path.join(folder, 'extensions/own/mcp.json'), 'utf8'))).toEqual({ ...LOCAL, prefix: 'p_' });
    expect(must(await host.serverList.get('own'))).toMatchObject({ file: 'own/mcp.json' });
    must(await host.serverList.remove('own', ADA));
    expect(extension('own')).toBeUndefined();
  });

  it('is refused with a reason when it cannot work, and nothing is written', async () => {
    const { host, save } = await start({ 'code/extension.ts': oneTool('code_tool', 'x') });
    const { serverList } = host;
    expect(refusal(await serverList.put('a b', LOCAL, false, ADA)).code).toBe('resource_name_invalid');
    expect(refusal(await serverList.put('tools', LOCAL, false, ADA)).code).toBe('resource_name_invalid');
    expect(refusal(await serverList.put('code', LOCAL, false, ADA))).toMatchObject({
      code: 'state_conflict',
      detail: expect.stringContaining('another kind'),
    });
    expect(refusal(await serverList.put('x', { comand: 'node' }, false, ADA))).toMatchObject({
      code: 'body_fields_invalid',
      detail: expect.stringContaining('Did you mean `command`'),
    });
    expect(refusal(await serverList.get('mcp.json')).code).toBe('server_not_found');
    await save({ 'mcp.json': '{ broken' });
    expect(refusal(await serverList.put('x', LOCAL, false, ADA))).toMatchObject({
      code: 'state_conflict',
      detail: expect.stringContaining('mcp.json is not valid'),
    });
  });

  it('can be stored with its credentials in the secret store', async () => {
    const { host, folder, extension } = await start();
    const config = { ...LOCAL, env: { API_KEY: 'k3y-of-the-form-123', LOG_LEVEL: 'debug' } };
    expect(must(await host.serverList.put('local', config, true, ADA))).toMatchObject({
      secrets: ['API_KEY'],
      config: { env: { API_KEY: '${secret:API_KEY}', LOG_LEVEL: 'debug' } },
    });
    expect(listFile(folder)).not.toContain('k3y-of-the-form-123');
    expect(host.secrets.list()).toMatchObject({ secrets: [{ name: 'API_KEY', uses: ['local'] }], missing: [] });
    expect(extension('local')).toMatchObject({ state: 'ready' });
  });

  it('is tested without being added', async () => {
    const { host, extension } = await start();
    const signal = new AbortController().signal;
    const worked = must(await host.serverList.test(LOCAL, signal));
    expect(worked).toMatchObject({ ok: true, failure: null });
    expect(worked.tools.length).toBeGreaterThan(0);
    expect(extension('test')).toBeUndefined();
    const dies = must(
      await host.serverList.test({ command: 'node', args: ['-e', 'console.error("Error: no key"); process.exit(1)'] }, signal),
    );
    expect(dies).toMatchObject({ ok: false, tools: [], failure: { code: 'mcp_error', hint: expect.any(String) } });
    expect(dies.log.join('\n')).toContain('Error: no key');
    const misses = must(await host.serverList.test({ ...LOCAL, env: { A: '${secret:NOT_SET}' } }, signal));
    expect(misses).toMatchObject({ ok: false, failure: { code: 'config_missing', message: 'The secret NOT_SET is not set.' } });
    expect(refusal(await host.serverList.test({}, signal)).code).toBe('body_fields_invalid');
  });
});

describe('an import', () => {
  it('shows what would be added, and writes nothing', async () => {
    const { host } = await start({ 'filesystem/extension.ts': oneTool('fs_tool', 'x') });
    const preview = must(
      await host.serverList.import({ client: 'Claude Desktop', text: CLIENT_FILES['claude-desktop'], preview: true }, ADA),
    );
    expect(preview).toMatchObject({
      client: 'claude-desktop',
      servers: [
        { name: 'filesystem-2', original_name: 'filesystem', conflict: true, secrets: [] },
        {
          name: 'GitHub-work',
          original_name: 'GitHub (work)',
          conflict: false,
          secrets: ['GITHUB_PERSONAL_ACCESS_TOKEN'],
          missing_secrets: [],
          config: { env: { GITHUB_PERSONAL_ACCESS_TOKEN: '${secret:GITHUB_PERSONAL_ACCESS_TOKEN}' } },
        },
      ],
    });
    expect(JSON.stringify(preview)).not.toContain('ghp_');
    expect(must(await host.serverList.list()).servers).toEqual([]);
    expect(host.secrets.list().secrets).toEqual([]);
  });

  it('writes the chosen servers, with their credentials in the secret store', async () => {
    const { host, folder, extension } = await start({ 'mcp.json': JSON.stringify({ mcpServers: { kept: { ...LOCAL, disabled: true } } }) });
    const text = JSON.stringify({
      mcpServers: {
        one: { ...LOCAL, env: { API_KEY: 'first-secret-value-1' } },
        two: { ...LOCAL, env: { API_KEY: 'other-secret-value-2' }, prefix: 'two_' },
        three: { ...LOCAL, env: { API_KEY: 'third-secret-value-3' }, prefix: 'three_' },
      },
    });
    const done = must(await host.serverList.import({ client: 'cursor', text, preview: false, names: ['one', 'two'] }, ADA));
    expect(done.servers.map(({ name, secrets }) => [name, ...secrets])).toEqual([
      ['one', 'API_KEY'],
      ['two', 'TWO_API_KEY'],
    ]);
    expect(Object.keys(JSON.parse(listFile(folder)).mcpServers)).toEqual(['kept', 'one', 'two']);
    expect(listFile(folder)).not.toMatch(/secret-value/);
    expect(host.secrets.list().secrets.map(({ name }) => name)).toEqual(['API_KEY', 'TWO_API_KEY']);
    expect([extension('one')?.state, extension('two')?.state]).toEqual(['ready', 'ready']);
  });

  it('names the secrets that the file has no value for', async () => {
    const { host } = await start();
    const preview = must(await host.serverList.import({ client: 'vscode', text: CLIENT_FILES.vscode, preview: true }, ADA));
    expect(preview.servers[1]).toMatchObject({ name: 'perplexity', secrets: ['PERPLEXITY_KEY'], missing_secrets: ['PERPLEXITY_KEY'] });
  });

  it('is refused for an unknown client and an unreadable text', async () => {
    const { host } = await start();
    expect(refusal(await host.serverList.import({ client: 'emacs', text: '{}', preview: true }, ADA))).toMatchObject({
      code: 'import_invalid',
      detail: expect.stringContaining('claude-desktop'),
    });
    expect(refusal(await host.serverList.import({ client: 'auto', text: '', preview: true }, ADA)).code).toBe('import_invalid');
    expect(refusal(await host.serverList.export('emacs')).code).toBe('import_invalid');
  });

  it('of an export gives the same servers', async () => {
    const { host } = await start({
      'mcp.json': JSON.stringify({ mcpServers: { local: { ...LOCAL, env: { KEY: '${secret:KEY}' }, disabled: true } } }),
    });
    const { text, client } = must(await host.serverList.export('codex'));
    expect(client).toBe('codex');
    const preview = must(await host.serverList.import({ client: 'auto', text, preview: true }, ADA));
    expect(preview.servers).toMatchObject([
      { name: 'local-2', config: { command: 'node', args: [SERVER], env: { KEY: '${secret:KEY}' }, disabled: true } },
    ]);
  });
});
