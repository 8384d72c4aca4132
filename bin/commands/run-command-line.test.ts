import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { cannotDo, EXIT } from './command.ts';
import type { Command } from './command.ts';
import { runCommandLine } from './run-command-line.ts';

const COMMANDS: readonly Command[] = [
  { name: 'check', summary: 'Looks', help: 'How to look\n', run: async () => EXIT.ok },
  {
    name: 'call',
    summary: 'Calls',
    help: 'How to call\n',
    run: async () => {
      throw cannotDo('Nobody answers.');
    },
  },
  {
    name: 'stumble',
    summary: 'Stumbles',
    help: 'How to stumble\n',
    run: async () => {
      throw new TypeError('a bug of ours');
    },
  },
];

async function run(...args: string[]) {
  const said = { stdout: '', stderr: '' };
  const code = await runCommandLine(COMMANDS, args, '1.2.3', {
    cwd: '/',
    env: {},
    stdin: Readable.from([]),
    print: async (text) => void (said.stdout += text),
    note: (line) => void (said.stderr += line),
    isTerminal: false,
    paint: (_style, text) => text,
    signal: new AbortController().signal,
  });
  return { code, ...said };
}

describe('the command line', () => {
  it('prints its commands, and exits with 0 only for help', async () => {
    const asked = await run('--help');
    expect(asked.stdout).toContain('  check    Looks\n  call     Calls\n');
    expect(asked.code).toBe(EXIT.ok);
    expect(await run()).toEqual({ ...asked, code: EXIT.usage });
    expect(await run('check', '--help')).toEqual({ code: EXIT.ok, stdout: 'How to look\n', stderr: '' });
    expect((await run('help', 'call')).stdout).toBe('How to call\n');
    expect((await run('--version')).stdout).toBe('1.2.3\n');
  });

  it('suggests a command for a typo', async () => {
    expect(await run('chekc')).toMatchObject({ code: EXIT.usage, stdout: '' });
    expect((await run('chekc')).stderr).toContain('Did you mean `switchboard check`?');
    expect((await run('serve-everything')).stderr).toContain('Commands: check, call, stumble.');
  });

  it('prints the reason of a failed command in one line', async () => {
    expect(await run('call')).toEqual({ code: EXIT.unavailable, stdout: '', stderr: 'switchboard call: Nobody answers.' });
  });

  it('reports an internal error with its location and its own exit code', async () => {
    const ran = await run('stumble');
    expect(ran).toMatchObject({ code: EXIT.bug, stdout: '' });
    expect(ran.stderr).toMatch(/Internal error\.\nTypeError: a bug of ours\n +at .*run-command-line\.test\.ts/);
  });
});
