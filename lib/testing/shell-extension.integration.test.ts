import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isAlive } from '#lib/testing/child-processes.ts';
import { TOOL } from '../../extensions/shell/extension.ts';
import { runProgram } from '../../extensions/shell/run-program.ts';
import { findWorkingDirectory } from '../../extensions/shell/working-directory.ts';

let folder: string;
let root: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'shell-')));
  root = join(folder, 'root');
  mkdirSync(join(root, 'inside'), { recursive: true });
  mkdirSync(join(folder, 'root2'));
  mkdirSync(join(folder, 'outside'));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Answer {
  exit_code: number | null;
  signal: string | null;
  timed_out: boolean;
  stdout: string;
  stderr: string;
  stdout_cut_chars: number;
  stderr_cut_chars: number;
  cwd: string;
  notes: string[];
}

function call(
  args: { command: string; cwd?: string; timeout_seconds?: number; max_output_chars?: number },
  signal = new AbortController().signal,
  workspace = root,
) {
  const nobody = () => Promise.reject(new Error('Nobody can answer here'));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const filled = { cwd: '.', timeout_seconds: 20, max_output_chars: 6000, ...args };
  return Promise.resolve(
    TOOL.execute(filled, { signal, log, progress() {}, elicit: nobody, sample: nobody, call_id: 'call', workspace_root: workspace }),
  ) as Promise<Answer>;
}

const NODE = JSON.stringify(process.execPath);
const js = (source: string) => `${NODE} -e ${JSON.stringify(source)}`;
const pidIn = (file: string) => vi.waitFor(() => Number(readFileSync(join(root, file), 'utf8') || fail()), { timeout: 10_000 });
function fail(): never {
  throw new Error('not written yet');
}

describe('the working directory', () => {
  it('runs in the workspace, in folders below it, and by absolute path', async () => {
    expect(await call({ command: 'pwd' })).toMatchObject({ exit_code: 0, stdout: `${root}\n`, stderr: '', cwd: '.', notes: [] });
    expect(await call({ command: 'pwd', cwd: 'inside' })).toMatchObject({ stdout: `${root}/inside\n`, cwd: 'inside' });
    expect(await call({ command: 'pwd', cwd: join(root, 'inside') })).toMatchObject({ cwd: 'inside' });
  });

  it('resolves links inside, and a workspace that is itself a link', async () => {
    symlinkSync('inside', join(root, 'link'));
    symlinkSync(root, join(folder, 'way-in'));
    expect(await call({ command: 'pwd', cwd: 'link' })).toMatchObject({ stdout: `${root}/inside\n` });
    expect(await call({ command: 'pwd', cwd: join(folder, 'way-in', 'inside') }, undefined, join(folder, 'way-in'))).toMatchObject({
      cwd: 'inside',
    });
  });

  it.each(['..', '../outside', 'inside/../..', '/', '/etc', '../root2', 'out', 'out/deeper/..', 'chain', '..\0'])(
    'refuses %j',
    async (cwd) => {
      symlinkSync('../outside', join(root, 'out'));
      symlinkSync('out', join(root, 'chain'));
      mkdirSync(join(folder, 'outside', 'deeper'));
      await expect(call({ command: 'pwd', cwd })).rejects.toMatchObject({
        kind: 'invalid_parameters',
        message: expect.stringMatching(/workspace|NUL/),
      });
    },
  );

  it('refuses a sibling folder with the workspace as name prefix, by absolute path', async () => {
    await expect(call({ command: 'pwd', cwd: `${root}2` })).rejects.toThrow(/outside the workspace/);
  });

  it.runIf(process.platform === 'linux')('starts in the verified folder, even if its path was replaced meanwhile', async () => {
    const { path, close } = await findWorkingDirectory(root, 'inside');
    renameSync(join(root, 'inside'), join(root, 'moved'));
    symlinkSync('../outside', join(root, 'inside'));
    const { signal } = new AbortController();
    const outcome = await runProgram({ program: 'pwd', words: ['-P'], cwd: path, timeoutMs: 20_000, maxChars: 1_000, signal });
    await close();
    expect(outcome).toMatchObject({ kind: 'ended', stdout: { text: `${root}/moved\n` } });
  });

  it('refuses a missing folder, a file, and a cycle of links', async () => {
    writeFileSync(join(root, 'file'), '');
    symlinkSync('round', join(root, 'round'));
    await expect(call({ command: 'pwd', cwd: 'gone' })).rejects.toThrow(/no such folder/);
    await expect(call({ command: 'pwd', cwd: 'file' })).rejects.toThrow(/is a file/);
    await expect(call({ command: 'pwd', cwd: 'file/below' })).rejects.toThrow(/is a file or inside of one/);
    await expect(call({ command: 'pwd', cwd: 'round' })).rejects.toThrow(/cycle/);
  });
});

describe('the program', () => {
  it('gets its arguments unchanged and returns the exit code and both streams', async () => {
    const answer = await call({
      command: `${js('console.log(JSON.stringify(process.argv.slice(1))); console.error(1); process.exit(3)')} "a b" | '$X'`,
    });
    expect(answer).toMatchObject({ exit_code: 3, stdout: '["a b","|","$X"]\n', stderr: '1\n' });
    expect(answer.notes.join()).toContain('There is no shell: `|`');
  });

  it('reports why a program cannot start', async () => {
    writeFileSync(join(root, 'script.sh'), '#!/bin/sh\n');
    chmodSync(join(root, 'script.sh'), 0o644);
    await expect(call({ command: 'no-such-program-anywhere' })).rejects.toThrow(/There is no program “no-such-program-anywhere”/);
    await expect(call({ command: 'cd inside && ls' })).rejects.toThrow(/part of a shell.*There is no shell: `&&`/);
    await expect(call({ command: './script.sh' })).rejects.toThrow(/may not be run/);
    await expect(call({ command: '""' })).rejects.toThrow(/names no program/);
  });

  it('has no input and sees only a few variables', async () => {
    vi.stubEnv('SECRET_TOKEN', 'hidden');
    expect(await call({ command: 'cat' })).toMatchObject({ exit_code: 0, stdout: '' });
    const { stdout } = await call({ command: 'env' });
    expect(stdout).toContain('PATH=');
    expect(stdout).not.toContain('SECRET_TOKEN');
  });

  it('keeps the beginning and the end of a long output, and notes the omitted part', async () => {
    const answer = await call({ command: js("process.stdout.write('start' + 'x'.repeat(3e6) + 'end')"), max_output_chars: 200 });
    expect(answer.stdout).toMatch(/^startx+\n… 3000008 characters, the middle is cut …\nx+end$/);
    expect(answer.stdout.length).toBeLessThanOrEqual(200);
    expect(answer.notes).toEqual([`${answer.stdout_cut_chars} characters of stdout were cut.`]);
  });

  it('shows bytes that are not text as replacement characters', async () => {
    const answer = await call({ command: js('process.stdout.write(Buffer.from([104, 255, 0, 105]))') });
    expect(answer.stdout).toBe('h\uFFFD\0i');
    expect(answer.notes.join()).toContain('not text');
  });
});

describe('the end', () => {
  const stubborn = `process.on('SIGTERM', () => {}); require('node:child_process').spawn(process.execPath, ['-e', "require('node:fs').writeFileSync('grandchild', String(process.pid)); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: 'inherit' }); console.log('begun'); setInterval(() => {}, 1000)`;

  it('ends a program that ignores SIGTERM, and its child processes, at the timeout', async () => {
    const answer = await call({ command: js(stubborn), timeout_seconds: 3 });
    expect(answer).toMatchObject({ exit_code: null, signal: 'SIGKILL', timed_out: true, stdout: 'begun\n' });
    expect(answer.notes.join()).toContain('did not end within 3 s');
    expect(isAlive(await pidIn('grandchild'))).toBe(false);
  });

  it.runIf(process.platform === 'linux')('ends processes that left its group and session too', async () => {
    const leaver = `require('node:child_process').spawn(process.execPath, ['-e', "require('node:fs').writeFileSync('gone', String(process.pid)); setInterval(() => {}, 1000)"], { stdio: 'ignore', detached: true }); setInterval(() => {}, 1000)`;
    const cancel = new AbortController();
    const running = call({ command: js(leaver) }, cancel.signal);
    const gone = await pidIn('gone');
    cancel.abort(new Error('cancelled'));
    await expect(running).rejects.toThrow('cancelled');
    await vi.waitFor(() => expect(isAlive(gone)).toBe(false));
  });

  it('adds one exit listener to its own process for any number of programs', async () => {
    const before = process.listenerCount('exit');
    const cancel = new AbortController();
    const calls = Array.from({ length: 12 }, (_, at) => call({ command: `sh -c 'touch begun-${at}; sleep 60'` }, cancel.signal));
    await vi.waitFor(() => expect(readdirSync(root).filter((file) => file.startsWith('begun'))).toHaveLength(12), { timeout: 10_000 });
    expect(process.listenerCount('exit')).toBe(before);
    cancel.abort(new Error('cancelled'));
    for (const outcome of await Promise.allSettled(calls)) expect(outcome.status).toBe('rejected');
  });

  it('ends the program when the call is cancelled', async () => {
    const cancel = new AbortController();
    const running = call({ command: js(stubborn) }, cancel.signal);
    const grandchild = await pidIn('grandchild');
    cancel.abort(new Error('cancelled'));
    await expect(running).rejects.toThrow('cancelled');
    await vi.waitFor(() => expect(isAlive(grandchild)).toBe(false));
  });

  it('starts no program for a cancelled call', async () => {
    await expect(call({ command: 'touch made' }, AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled');
    expect(() => readFileSync(join(root, 'made'))).toThrow(/ENOENT/);
  });

  it('does not wait for processes that a program leaves behind, and ends them', async () => {
    const leaver = `require('node:child_process').spawn('sleep', ['60'], { stdio: 'inherit' }).unref(); process.exit(0)`;
    const answer = await call({ command: js(leaver) });
    expect(answer).toMatchObject({ exit_code: 0, timed_out: false });
    expect(answer.notes.join()).toContain('left processes behind');
  });
});
