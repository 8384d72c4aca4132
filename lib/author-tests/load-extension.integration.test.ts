import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CallFailure, loadExtension } from 'switchboard/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'author-tests-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

const TOOLS = `export const TOOL = { label: 'a', name: 'where_am_i', description: 'Answers about its process.',
  parameters: { wait: { type: 'boolean', default: false }, fail: { type: 'string' } },
  async execute({ wait, fail }, ctx) {
    ctx.log.info('asked');
    if (fail) throw new Error(fail);
    if (wait) await new Promise(() => {});
    return { pid: process.pid, workspace: ctx.workspace_root, given: process.env.GIVEN ?? null };
  } };
export const status = () => ({ fine: true });
`;

describe('loadExtension', () => {
  it('runs the extension in its own process, in an empty workspace, with the settings of the server', async () => {
    await write({ 'a/extension.js': TOOLS, 'b/extension.js': 'export const TOOL = {' });
    const loaded = await loadExtension(path.join(folder, 'a'), { env: { EXTENSION_ENV: 'GIVEN', GIVEN: 'yes' } });
    expect(loaded.id).toBe('a');
    expect(loaded.tools.map(({ name }) => name)).toEqual(['where_am_i']);
    const answer = await loaded.call('where_am_i');
    expect(answer).toMatchObject({ workspace: loaded.workspace, given: 'yes' });
    expect(answer).not.toMatchObject({ pid: process.pid });
    expect(await loaded.status()).toEqual({ fine: true });
    expect((await loaded.logs()).map(({ message }) => message)).toContain('asked');
    await loaded.close();
    await loaded.close();
    expect(existsSync(loaded.workspace)).toBe(false);
    await expect(loaded.call('where_am_i')).rejects.toThrow('a is closed. Load it again to call its tools.');
  });

  it('rejects a failed call with its error and its record', async () => {
    await write({ 'a/extension.js': TOOLS });
    await using loaded = await loadExtension(pathToFileURL(path.join(folder, 'a/extension.js')));
    const failure = await loaded.call('where_am_i', { fail: 'No luck.' }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CallFailure);
    expect(failure).toMatchObject({ message: 'No luck.', kind: 'execution_error', call: { logs: [{ message: 'asked' }] } });
    await expect(loaded.call('where_am_i', { wait: 'no' })).rejects.toMatchObject({ kind: 'invalid_parameters' });
    await expect(loaded.call('where_am_i', { wait: true }, { timeoutMs: 50 })).rejects.toMatchObject({ kind: 'timeout' });
    await expect(loaded.call('absent')).rejects.toThrow('a has no tool “absent”. Its tools are: where_am_i.');
  });

  it('loads one-file tools and Python extensions separately', async () => {
    await write({
      'tools/one.ts': '/** One. */\nexport function run(): number { return 1; }\n',
      'tools/two.py': 'def run() -> int:\n    """Two."""\n    return 2\n',
    });
    await using one = await loadExtension(path.join(folder, 'tools/one.ts'));
    await using two = await loadExtension(path.join(folder, 'tools/two.py'));
    expect([one.id, await one.call('one'), two.id, await two.call('two')]).toEqual(['tools/one', 1, 'tools/two', 2]);
    await expect(loadExtension(path.join(folder, 'tools'))).rejects.toThrow(
      'is not a one-file tool or channel. Name one of these files: one.ts, two.py.',
    );
  });

  it('rejects a failed load with the failure, its location and its code frame', async () => {
    await write({ 'a/extension.js': 'export const TOOL = 1 +* 2;\n' });
    await expect(loadExtension(path.join(folder, 'a'))).rejects.toThrow(
      /^a failed to load: syntax_error \(a\/extension\.js:1\)\n\n[^]+> 1 \| /,
    );
    await expect(loadExtension(path.join(folder, 'b'))).rejects.toThrow('not found. Name an extension folder');
    await mkdir(path.join(folder, 'c'));
    await expect(loadExtension(path.join(folder, 'c'))).rejects.toThrow('No extension in');
    await expect(loadExtension(path.join(folder, 'a'), { env: { LOAD_TIMEOUT_MS: 'soon' } })).rejects.toThrow('LOAD_TIMEOUT_MS is "soon"');
  });
});
