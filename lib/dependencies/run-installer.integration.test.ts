import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { isAlive } from '#lib/testing/child-processes.ts';
import { runInstaller } from './run-installer.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'installer-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = async (script: string, change: Partial<Parameters<typeof runInstaller>[0]> = {}) => {
  const lines: string[] = [];
  const outcome = await runInstaller({
    command: ['/bin/sh', '-c', script],
    folder,
    environment: { PATH: process.env['PATH'] ?? '', ONLY: 'this' },
    prefix: [],
    signal: new AbortController().signal,
    limits: { ms: 60_000, bytes: 1_000_000_000 },
    onLine: (line) => lines.push(line),
    ...change,
  });
  return { outcome, lines };
};

it('reports lines without colours and passwords, and the exit code', async () => {
  const { outcome, lines } = await run(
    String.raw`printf '\033[31mred\033[0m\rfrom https://me:secret@index.example/x\n'; echo "$ONLY$HOME" >&2; exit 3`,
  );
  expect(outcome).toEqual({ ok: false, reason: 'exit', detail: 'exit code 3' });
  expect(lines.toSorted()).toEqual(['from https://…@index.example/x', 'red', 'this']);
});

it('ends its processes on cancellation, timeout or too much disk space', async () => {
  const controller = new AbortController();
  const pids: number[] = [];
  const begun = run('sleep 600 & echo $!; wait', {
    signal: controller.signal,
    onLine: (line) => {
      pids.push(Number(line));
      controller.abort();
    },
  });
  expect((await begun).outcome).toMatchObject({ ok: false, reason: 'cancelled' });
  await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false]));
  expect((await run('sleep 600', { limits: { ms: 50, bytes: 1e9 } })).outcome).toMatchObject({ reason: 'timeout' });
  expect((await run('head -c 3000000 /dev/zero > big; sleep 600', { limits: { ms: 60_000, bytes: 1_000_000 } })).outcome).toMatchObject({
    reason: 'size',
  });
  expect((await run('x', { command: ['/nowhere/program'] })).outcome).toMatchObject({ reason: 'spawn' });
});

it('ends the installer when the server is killed', async () => {
  const program = path.join(folder, 'host.mjs');
  await writeFile(
    program,
    `import { runInstaller } from ${JSON.stringify(path.join(import.meta.dirname, 'run-installer.ts'))};
     import { findParentDeathPrefix } from ${JSON.stringify(path.resolve(import.meta.dirname, '../runtime/parent-death.ts'))};
     void runInstaller({ command: ['/bin/sh', '-c', 'echo $$; exec sleep 600'], folder: ${JSON.stringify(folder)}, environment: { PATH: process.env.PATH }, prefix: await findParentDeathPrefix(), signal: new AbortController().signal, limits: { ms: 600000, bytes: 1e9 }, onLine: (line) => console.log(line) });`,
  );
  const host = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(host.stdout, 'data');
  const pid = Number(String(line));
  expect(isAlive(pid)).toBe(true);
  host.kill('SIGKILL');
  await once(host, 'close');
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });
});
