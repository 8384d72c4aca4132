import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isAlive } from '#lib/testing/child-processes.ts';
import { instanceProgram } from '#lib/testing/instances.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, startHost } from '#lib/testing/living-host.ts';

const NOBODY = { name: null };
const node = (name: string, before: string, body: string): string => `${before}
export const TOOL = { label: 'Idle', name: '${name}', description: 'Returns a number.', parameters: {}, execute() { ${body} } };
`;
const python = (name: string, before: string, body: string): string => `${before}

def execute():
    ${body}

TOOL = {"label": "Idle", "name": "${name}", "description": "Returns a number.", "parameters": {}, "execute": execute}
`;

describe('the process of an extension without calls', () => {
  let living: LivingHost;
  beforeAll(async () => {
    living = await startHost(
      {
        'plain/extension.ts': node('plain', '', 'return process.pid;'),
        'plain_python/extension.py': python('plain_python', 'import os', 'return os.getpid()'),
        'counts/extension.ts': node('counts', 'let count = 0;', 'count += 1; return count;'),
        'counts_python/extension.py': python('counts_python', 'SEEN = []', 'SEEN.append(1); return len(SEEN)'),
        'chosen/extension.ts': node('chosen', 'let count = 0;', 'count += 1; return count;'),
        'declared/extension.ts': node('declared', 'export const KEEP_ALIVE = true;', 'return 1;'),
        'reports/extension.ts': node('reports', 'export const status = () => ({ connected: true });', 'return 1;'),
        'allowed/extension.ts': node('allowed', 'export const KEEP_ALIVE = false; let count = 0;', 'count += 1; return count;'),
        'ticks/extension.ts': node('ticks', 'setInterval(() => undefined, 60_000);', 'return 1;'),
        'loops/extension.ts': node('loops', '', 'setTimeout(() => { for (;;); }, 20); return process.pid;'),
        'waits_python/extension.py': python(
          'waits_python',
          'import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()',
          'return 1',
        ),
        'slow/extension.ts': `import { setTimeout as wait } from 'node:timers/promises';
          export const TOOL = { label: 'Idle', name: 'slow', description: 'Waits.', parameters: { ms: { type: 'number', required: true } },
            async execute({ ms }) { await wait(ms); return process.pid; } };`,
      },
      { extensionIdleMs: 100 },
    );
  });
  afterAll(() => living.remove());

  const processOf = (id: string) => living.extension(id)?.process;
  const until = (holds: () => boolean) => vi.waitUntil(holds, { timeout: 20_000, interval: 10 });
  const untilIdle = (id: string) => until(() => processOf(id)?.state === 'none');
  const resultOf = async (tool: string, args = {}) => (await living.call(tool, args)).result;

  it.each(['plain', 'plain_python'])('ends, and the next call starts another one (%s)', async (id) => {
    const before = await resultOf(id);
    await untilIdle(id);
    await until(() => !isAlive(Number(before)));
    expect(processOf(id)).toMatchObject({ pid: null, restarts: 0, kept: null });
    const after = await resultOf(id);
    expect(after).toEqual(expect.any(Number));
    expect(after).not.toBe(before);
  });

  it('keeps running with state in memory, with KEEP_ALIVE, and while something runs in it', async () => {
    await living.call('counts');
    await living.call('counts_python');
    await untilIdle('plain');
    await until(() => ['ticks', 'waits_python'].every((id) => processOf(id)?.kept === 'activity'));
    expect(processOf('counts')).toMatchObject({ state: 'running', kept: 'state' });
    expect(processOf('counts_python')).toMatchObject({ state: 'running', kept: 'state' });
    expect(processOf('declared')).toMatchObject({ state: 'running', kept: 'declared' });
    expect([await resultOf('counts'), await resultOf('counts_python')]).toEqual([2, 2]);
  });

  it('keeps running, or ends with state in memory, as a person chose; the choice survives a restart of the server', async () => {
    const actions = living.host.extensions;
    expect(must(await actions.keepAlive('chosen', true, NOBODY))).toMatchObject({ keep_alive: true });
    await living.call('chosen');
    expect(processOf('chosen')).toMatchObject({ state: 'running', kept: 'chosen' });
    must(await actions.keepAlive('chosen', false, NOBODY));
    await untilIdle('chosen');
    expect(await resultOf('chosen')).toBe(1);
    await untilIdle('chosen');
    living = await living.restart();
    expect(living.extension('chosen')).toMatchObject({ keep_alive: false });
    expect(await resultOf('chosen')).toBe(1);
    await untilIdle('chosen');
    expect(must(await living.host.extensions.keepAlive('chosen', null, NOBODY))).not.toHaveProperty('keep_alive');
    await living.call('chosen');
    expect(processOf('chosen')).toMatchObject({ state: 'running', kept: 'state' });
  });

  it('ends although its extension has a status(), which is read again after the next call', async () => {
    const statusOf = async (id: string) => {
      const { has_status, status } = must(await living.host.extensions.get(id));
      return { has_status, status };
    };
    await living.call('reports');
    await untilIdle('reports');
    expect(await statusOf('reports')).toEqual({ has_status: true, status: null });
    expect(processOf('reports')).toMatchObject({ state: 'none' });
    await living.call('reports');
    expect(await statusOf('reports')).toEqual({ has_status: true, status: { connected: true } });
    expect(await statusOf('plain')).toEqual({ has_status: false, status: null });
  });

  it('ends as unresponsive if it does not answer whether something runs in it', async () => {
    const pid = Number(await resultOf('loops'));
    await until(() => !isAlive(pid));
    await untilIdle('loops');
    const { lines } = must(living.host.extensions.logs('loops', {}));
    expect(lines.map(({ message }) => message)).toContain('The process stopped answering and was ended');
    expect(processOf('loops')).toMatchObject({ pid: null, kept: null });
  });

  it('ends with state if the source allows it', async () => {
    expect(await resultOf('allowed')).toBe(1);
    await untilIdle('allowed');
    expect(await resultOf('allowed')).toBe(1);
  });

  it('is not ended while a call runs, and no call fails that begins while it ends', async () => {
    expect(await resultOf('slow', { ms: 1_000 })).toEqual(expect.any(Number));
    // The process ends between 100 and 200 ms after a call.
    for (let ms = 80; ms < 220; ms += 10) {
      const ended = await living.call('plain');
      expect(ended.status).toBe('succeeded');
      await resultOf('slow', { ms });
    }
  });

  it('is explained with its settings', async () => {
    const idle = async (id: string) => must(await living.host.extensions.settings(id)).settings.find(({ name }) => name === 'idle');
    expect(await idle('counts')).toMatchObject({
      value: 'kept: calls may change its state in memory',
      variable: 'EXTENSION_IDLE_SECONDS',
    });
    expect((await idle('counts'))?.change).toContain('KEEP_ALIVE = false');
    must(await living.host.extensions.keepAlive('counts', true, NOBODY));
    expect((await idle('counts'))?.change).toBe('Choose “End when idle” or “Automatic” beside its process on its page.');
    expect(await idle('plain')).toMatchObject({ value: 'ends after 100 ms without calls' });
  });
});

const SERVER = await instanceProgram();
/** Of no one else, since the limit of processes counts all of a user. */
const USER = 1_000_000 + process.pid;
const AS_USER = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'];
const succeeds = ([command = '', ...args]: readonly string[]): boolean => spawnSync(command, args).status === 0;
const mayLimit = succeeds(['prlimit', '--nofile=80', 'true']);
/** Root has no such limit, and other users share theirs with the tests. */
const mayLimitProcesses = mayLimit && succeeds([...AS_USER, process.execPath, '-e', `fs.accessSync(${JSON.stringify(SERVER.at(-1))})`]);

/** A server with these extensions whose limits are as in `prlimit`. */
async function startLimited(limit: string, prefix: readonly string[], files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(path.join(prefix.length === 0 ? tmpdir() : '/tmp', 'switchboard-limited-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, 'extensions', name)), { recursive: true });
    writeFileSync(path.join(folder, 'extensions', name), text);
  }
  if (prefix.length > 0) chownSync(folder, USER, USER);
  const { PATH = '' } = process.env;
  const [command = '', ...args] = [...prefix, 'prlimit', `--${limit}`, process.execPath, ...SERVER];
  const server = spawn(command, args, {
    cwd: folder,
    env: { NODE_ENV: 'production', PATH, HOME: folder, PORT: '0', LOAD_TIMEOUT_MS: '60000' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  createInterface(server.stderr).on('line', (line) => log.push(line));
  const exited = once(server, 'exit');
  const first: unknown = await Promise.race([once(createInterface(server.stdout), 'line').then(([line]: unknown[]) => line), exited]);
  return {
    url: `http://127.0.0.1:${String(first)}/api/v1`,
    log,
    async end(): Promise<number | null> {
      server.kill();
      const forced = setTimeout(() => server.kill('SIGKILL'), 30_000);
      await exited;
      clearTimeout(forced);
      rmSync(folder, { recursive: true, force: true });
      return server.exitCode;
    },
  };
}

describe('a server at a limit of the system', () => {
  it
    .runIf(mayLimit)
    .concurrent.for([
      { limit: 'nofile=80', prefix: [], languages: ['ts', 'py'], count: 14 },
      ...(mayLimitProcesses ? [{ limit: 'nproc=80', prefix: AS_USER, languages: ['py'], count: 20 }] : []),
    ])(
    'answers requests, and its extensions wait and serve in turn ($limit)',
    async ({ limit, prefix, languages, count }, { onTestFinished }) => {
      const names = Array.from({ length: count }, (_, at) => `e${at}`);
      const files = names.map((name, at) =>
        languages[at % languages.length] === 'ts'
          ? [`${name}/extension.ts`, node(name, '', 'return process.pid;')]
          : [`${name}/extension.py`, python(name, 'import os', 'return os.getpid()')],
      );
      const server = await startLimited(limit, prefix, Object.fromEntries(files));
      onTestFinished(async () => void (await server.end()));
      const states = async (): Promise<readonly string[]> => {
        const list: { extensions: { state: string }[] } = JSON.parse(await (await fetch(`${server.url}/extensions`)).text());
        return list.extensions.map(({ state }) => state);
      };
      // A request that is reset ends the test.
      const isReady = async () => (await states()).filter((state) => state === 'ready').length === count;
      await vi.waitUntil(isReady, { timeout: 150_000, interval: 50 }).catch(async (error: unknown) => {
        throw new Error(`${String(error)}: ${String(await states())}\n${server.log.join('\n')}`);
      });
      expect(server.log.some((line) => line.includes('starts of processes wait'))).toBe(true);
      for (const name of names.slice(0, 4)) {
        const headers = { 'content-type': 'application/json' };
        const called = await fetch(`${server.url}/tools/${name}/call`, { method: 'POST', headers, body: '{ "arguments": {} }' });
        expect(await called.json()).toMatchObject({ status: 'succeeded' });
      }
      expect(await server.end()).toBe(0);
    },
  );
});
