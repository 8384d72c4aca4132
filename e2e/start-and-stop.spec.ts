import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { copySharedPrograms } from '#lib/testing/shared-programs.ts';

/**
 * `npm start` as a person or service runs it: three processes, each of which may get a signal. And `next start`, which opens the
 * port before the server exists.
 */

const ROOT = join(import.meta.dirname, '..');
const SLOW = `export const TOOL = {
  label: 'test', name: 'wait_a_second', description: 'Waits for a second.', parameters: {},
  execute: () => new Promise((resolve) => setTimeout(() => resolve('waited'), 1000)),
};`;

/** Does not load until it is released. */
const WAITS = `import { existsSync } from 'node:fs';
while (!existsSync('go-on')) await new Promise((resolve) => setTimeout(resolve, 20));
`;

interface Running {
  readonly npm: ChildProcess;
  readonly pids: { readonly npm: number; readonly script: number; readonly server: number };
  readonly address: string;
  readonly port: number;
}

// Independent tests that mostly wait.
test.describe.configure({ mode: 'parallel' });

let folder: string;
let nextServer: ChildProcess | null = null;
test.beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'start-'));
  mkdirSync(join(folder, 'extensions', 'slow'), { recursive: true });
  writeFileSync(join(folder, 'extensions', 'slow', 'extension.mjs'), SLOW);
  await copySharedPrograms(join(folder, 'data', 'programs'));
});
test.afterEach(() => {
  nextServer?.kill('SIGKILL');
  nextServer = null;
  rmSync(folder, { recursive: true, force: true });
});

async function startByNpm(): Promise<Running> {
  const env = { ...process.env, PORT: '0', EXTENSIONS_DIR: join(folder, 'extensions'), DATA_DIR: join(folder, 'data') };
  const npm = spawn('npm', ['start'], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  npm.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  await expect.poll(() => out).toMatch(/ready at http:/);
  const address = /ready at (http:\/\/127\.0\.0\.1:\d+)/.exec(out)?.[1] ?? '';
  const npmPid = npm.pid ?? 0;
  const script = childOf(npmPid, 'bin/start.mjs');
  return { npm, address, port: Number(new URL(address).port), pids: { npm: npmPid, script, server: childOf(script, 'server.js') } };
}

function childOf(parent: number, words: string): number {
  const table = spawnSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).stdout;
  for (const line of table.split('\n')) {
    const [, pid, ppid, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (Number(ppid) === parent && args.includes(words)) return Number(pid);
  }
  throw new Error(`No child "${words}" of process ${parent}.`);
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function expectAllGone(running: Running): Promise<void> {
  await expect.poll(() => Object.values(running.pids).filter(isAlive)).toEqual([]);
}

// SIGTERM to npm is in the test of a stop below. An interrupt of npm passes through all three.
for (const [signal, target] of [
  ['SIGTERM', 'script'],
  ['SIGTERM', 'server'],
  ['SIGINT', 'npm'],
] as const) {
  test(`${signal} to ${target} ends all three processes`, async () => {
    const running = await startByNpm();
    process.kill(running.pids[target], signal);
    await expectAllGone(running);
  });
}

for (const target of ['npm', 'script', 'server'] as const) {
  test(`no process outlives ${target} when it is killed`, async () => {
    const running = await startByNpm();
    process.kill(running.pids[target], 'SIGKILL');
    await expectAllGone(running);
  });
}

test('a stop fails readiness, serves for a while, finishes a running call, closes 100 event streams and exits with 0', async () => {
  const running = await startByNpm();
  const exit = new Promise<number | null>((resolve) => running.npm.once('exit', resolve));
  let opened = 0;
  const ended: Promise<void>[] = [];
  for (let stream = 0; stream < 100; stream += 1) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    ended.push(promise);
    get(`${running.address}/api/v1/events`, (answer) => {
      opened += 1;
      answer.resume().on('end', resolve).on('error', reject);
    }).on('error', reject);
  }
  await expect.poll(() => opened).toBe(100);
  const call = fetch(`${running.address}/api/v1/tools/wait_a_second/call`, { method: 'POST' });
  await expect.poll(async () => (await fetch(`${running.address}/api/v1/calls?status=running`)).text()).toContain('wait_a_second');
  process.kill(running.pids.npm, 'SIGTERM');
  await expect.poll(async () => (await fetch(`${running.address}/readyz`)).status).toBe(503);
  // Still served, so that nothing is lost until a load balancer notices.
  const late = await fetch(`${running.address}/api/v1/tools/wait_a_second/call`, { method: 'POST' });
  expect(await late.json()).toMatchObject({ status: 'succeeded', result: 'waited' });
  expect(await (await call).json()).toMatchObject({ status: 'succeeded', result: 'waited' });
  await Promise.all(ended);
  expect(await exit).toBe(0);
  await expectAllGone(running);
});

test('health succeeds before the first load has finished, and readiness after it', async () => {
  writeFileSync(join(folder, 'extensions', 'slow', 'extension.mjs'), `${WAITS}${SLOW}`);
  mkdirSync(join(folder, 'workspace'));
  const port = await freePort();
  const env = {
    ...process.env,
    PORT: String(port),
    EXTENSIONS_DIR: join(folder, 'extensions'),
    DATA_DIR: join(folder, 'data'),
    WORKSPACE_ROOT: join(folder, 'workspace'),
  };
  const npm = spawn('npm', ['start'], { cwd: ROOT, env, stdio: 'ignore' });
  const status = async (path: string): Promise<number> => {
    try {
      return (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    } catch {
      return 0;
    }
  };
  await expect.poll(() => status('/healthz'), { intervals: [20] }).toBe(200);
  expect(await status('/readyz')).toBe(503);
  writeFileSync(join(folder, 'workspace', 'go-on'), '');
  await expect.poll(() => status('/readyz')).toBe(200);
  npm.kill('SIGTERM');
  await new Promise((resolve) => npm.once('exit', resolve));
});

/** Next starts, then the server. */
const START_MS = 60_000;

interface Next {
  readonly output: () => string;
  readonly exit: Promise<number | null>;
  stop(): void;
}

function startNext(port: number, env: Readonly<Record<string, string>> = {}, host: readonly string[] = ['-H', '127.0.0.1']): Next {
  const program = join(ROOT, 'node_modules', 'next', 'dist', 'bin', 'next');
  const child = spawn(join(ROOT, 'node_modules', '.bin', 'node'), [program, 'start', '-p', String(port), ...host], {
    cwd: ROOT,
    env: { ...process.env, EXTENSIONS_DIR: join(folder, 'extensions'), DATA_DIR: join(folder, 'data'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  nextServer = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  return {
    output: () => output,
    exit: new Promise((resolve) => child.once('exit', resolve)),
    stop: () => void child.kill('SIGTERM'),
  };
}

test('`next start` serves pages, calls, events and agents, and finishes a running call at its end', async () => {
  const port = await freePort();
  const next = startNext(port);
  const ask = (path: string, options: RequestInit = {}): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`, options);
  await expect.poll(next.output, { timeout: START_MS }).toMatch(/ready at http:/);
  const page = await ask('/tools/wait_a_second');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("'strict-dynamic'");
  expect(await page.text()).toContain('Waits for a second.');
  expect((await ask('/readyz')).status).toBe(200);
  expect((await ask('/mcp')).status).toBe(406);
  const events = await ask('/api/v1/events');
  const call = ask('/api/v1/tools/wait_a_second/call', { method: 'POST' });
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  while (!seen.includes('event: call.started')) seen += (await reader?.read())?.value ?? '';
  next.stop();
  expect(await (await call).json()).toMatchObject({ status: 'succeeded', result: 'waited' });
  expect(await next.exit).toBe(0);
});

test('`next start` answers nobody without a session of the team, from its first request on', async () => {
  const port = await freePort();
  const next = startNext(port, { AUTH: 'team', AUTH_SECRET: 'forty characters of a secret for a test.' });
  const status = async (path: string): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' }).catch(() => null);
    return answer?.status ?? 0;
  };
  const seen = new Set<number>();
  await expect.poll(async () => seen.add(await status('/tools')).has(303), { intervals: [20], timeout: START_MS }).toBe(true);
  expect([...seen]).not.toContain(200);
  expect(await status('/sign-in')).toBe(200);
  expect(await status('/api/v1/tools')).toBe(401);
  expect(await status('/api/v1/events')).toBe(401);
  expect(await status('/mcp')).toBe(401);
  next.stop();
  expect(await next.exit).toBe(0);
});

test('`next start` refuses an address that others can reach, as `npm start` does', async () => {
  const next = startNext(await freePort(), {}, []);
  expect(await next.exit).toBe(1);
  expect(next.output()).toContain('switchboard: HOST is "::"; accepted: a loopback address');
});

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
