import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHost } from '#lib/testing/living-host.ts';
import { checkCommand } from './check.ts';
import { runCommand } from './command-for-tests.ts';
import { newCommand } from './new.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'switchboard-new-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const make = (...args: string[]) => runCommand(newCommand, args, { cwd: folder });

const MADE: Readonly<Record<string, { args: readonly string[]; files: readonly string[] }>> = {
  'tool TypeScript': { args: ['tool', 'repeat_text'], files: ['tools/repeat_text.ts'] },
  'tool Python': { args: ['tool', 'repeat_text', '--python'], files: ['tools/repeat_text.py'] },
  'tools TypeScript': { args: ['tools', 'Team-Notes'], files: ['Team-Notes/extension.ts'] },
  'tools Python': { args: ['tools', 'Team-Notes', '--python'], files: ['Team-Notes/extension.py'] },
  'channel TypeScript': { args: ['channel', 'echo'], files: ['channels/echo.ts'] },
  'channel Python': { args: ['channel', 'echo', '--python'], files: ['channels/echo.py'] },
  'mcp JavaScript': { args: ['mcp', 'hello'], files: ['hello/server.mjs', 'hello/mcp.json'] },
  'mcp Python': { args: ['mcp', 'hello', '--python'], files: ['hello/server.py', 'hello/mcp.json'] },
};

describe('switchboard new', () => {
  it.each(Object.entries(MADE))('writes a %s that loads without a warning, and never overwrites it', async (_name, { args, files }) => {
    const made = await make(...args);
    expect(made.code).toBe(0);
    expect(made.stdout).toBe(files.map((file) => `${path.join('extensions', file)}\n`).join(''));
    const checked = await runCommand(checkCommand, ['--strict'], { cwd: folder });
    expect(checked.stdout).toMatch(/^ok {2}1 extension: 1 ready; /);
    const again = await make(...args);
    expect(again).toMatchObject({ code: 3, stdout: '' });
    expect(again.stderr).toContain('exists. Choose another name');
    const other = args.includes('--python') ? args.filter((word) => word !== '--python') : [...args, '--python'];
    expect((await make(...other)).code).toBe(3);
  });

  it.runIf(process.platform === 'linux')('reports in one line why it cannot write', async () => {
    const refused = await make('tool', 'repeat_text', '--dir', '/proc/none');
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toMatch(/^switchboard new: \/proc\/none\/tools\/repeat_text\.ts could not be written \(ENOENT[^\n]*\n$/);
  });

  it('writes tools that work', async () => {
    const living = await startHost();
    const write = (...args: string[]) => make(...args, '--dir', path.join(living.folder, 'extensions'));
    const answer = async (tool: string, args: Readonly<Record<string, unknown>> = {}) => {
      const { status, result } = await living.call(tool, args);
      return { status, text: JSON.stringify(result) };
    };
    await write('tool', 'repeat_text');
    await write('tool', 'repeat_words', '--python');
    await write('tools', 'notes');
    await write('tools', 'lists', '--python');
    await write('mcp', 'hello');
    await write('mcp', 'salve', '--python');
    await living.reload();
    expect(await answer('repeat_text', { text: 'so', times: 3 })).toEqual({ status: 'succeeded', text: '"so so so"' });
    expect(await answer('repeat_words', { text: 'so' })).toEqual({ status: 'succeeded', text: '"so so"' });
    expect(await answer('add_note_to_notes', { text: 'Milk' })).toEqual({ status: 'succeeded', text: '{"count":1}' });
    expect(await answer('list_notes_of_notes')).toEqual({ status: 'succeeded', text: '["Milk"]' });
    expect(await answer('add_note_to_lists', { text: 'Milk' })).toEqual({ status: 'succeeded', text: '{"count":1}' });
    expect(await answer('list_notes_of_lists')).toEqual({ status: 'succeeded', text: '["Milk"]' });
    for (const tool of ['hello__say_hello', 'salve__say_hello'])
      expect((await answer(tool, { name: 'Ada' })).text).toContain('Hello, Ada!');
    await living.remove();
  });

  it('writes the entry of any other server', async () => {
    await make('mcp', 'files', '--', 'npx', '-y', '@modelcontextprotocol/server-filesystem', '.');
    await make('mcp', 'remote', '--url', 'https://mcp.example.com/mcp');
    const entry = async (name: string) => JSON.parse(await readFile(path.join(folder, 'extensions', name, 'mcp.json'), 'utf8'));
    expect(await entry('files')).toEqual({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] });
    expect(await entry('remote')).toEqual({ url: 'https://mcp.example.com/mcp' });
  });

  it.each([
    [['tool'], 'Name a kind and a name'],
    [['tols', 'x'], 'Did you mean tool'],
    [['tool', '../x'], 'cannot be the name of an extension'],
    [['tool', '9lives'], 'cannot be the name of an extension'],
    [['tools', 'channels'], 'is reserved'],
    [['channel', 'web'], 'is part of the server'],
    [['tool', 'x', '--url', 'https://example.com'], 'work only with `new mcp`'],
    [['mcp', 'x', '--url', 'file:///etc'], 'is not a URL'],
    [['mcp', 'x', '--url', 'https://example.com/mcp', '--python'], '--python does not apply'],
    [['mcp', 'x', '--'], 'Write the command of the server'],
  ])('refuses %j with a message and writes nothing', async (args, words) => {
    const ran = await make(...args);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(words);
    await expect(readFile(path.join(folder, 'extensions'))).rejects.toThrow('ENOENT');
  });

  it('writes into a folder that a server watches', async () => {
    const living = await startHost({}, { watch: 'native' });
    const made = await runCommand(newCommand, ['tool', 'repeat_text', '--dir', path.join(living.folder, 'extensions')], { cwd: folder });
    expect(made.code).toBe(0);
    await expect.poll(() => living.extension('tools/repeat_text')?.state, { timeout: 20_000 }).toBe('ready');
    await living.remove();
  });
});
