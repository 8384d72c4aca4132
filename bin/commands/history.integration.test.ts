import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { callSchema } from '#lib/contract/call.ts';
import { OF_SQLITE, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';
import { runCommand, runOnFullDisk, runUntilPrinted } from './command-for-tests.ts';
import { READER_GONE } from './command.ts';
import { exportCommand } from './export.ts';
import { passOn } from './request-proxy-for-tests.ts';
import { tailCommand } from './tail.ts';

const EXTENSION = `export const TOOLS = [
  { label: 'Test', name: 'get_back', description: 'Gives back.', parameters: { text: { type: 'string' } }, execute: (args) => args.text ?? null },
  { label: 'Test', name: 'throw_error', description: 'Throws.', parameters: {}, execute: () => { throw new Error('no, "luck"'); } },
];
`;
const LONG = 'long '.repeat(2_000);

let living: LivingHost;
let served: ServedHost;
beforeAll(async () => {
  living = await startHost({ 'back/extension.js': EXTENSION });
  served = await serveHost(living.host);
  await living.call('get_back', { text: LONG });
  await living.call('throw_error');
  for (let at = 0; at < 205; at += 1) await living.call('get_back', { text: `n${at}` });
});
afterAll(async () => {
  await served.close();
  await living.remove();
});

const lines = (text: string) => text.trimEnd().split('\n');
const calls = (text: string) => lines(text).map((line) => callSchema.parse(JSON.parse(line)));
const fromServer = (...args: string[]) => runCommand(exportCommand, [...args, '--url', served.url]);

describe('switchboard export', () => {
  it('prints all calls in full, newest first, over pages', async () => {
    const { code, stdout } = await fromServer();
    expect(code).toBe(0);
    const all = calls(stdout);
    expect(all).toHaveLength(207);
    expect(all[0]?.result).toBe('n204');
    expect(all.at(-1)?.result).toBe(LONG);
    expect(all.some((call) => call.truncated)).toBe(false);
  });

  it('continues when a call is removed between its page and its record', async () => {
    const passing = await passOn(served.url, ({ url = '' }, response) => {
      if (!/\/calls\/[\w-]+$/.test(url)) return false;
      response.writeHead(404, { 'content-type': 'application/problem+json' }).end('{"code":"call_not_found","detail":"It is gone."}');
      return true;
    });
    const { code, stdout } = await runCommand(exportCommand, ['--url', passing.url]);
    await passing.close();
    expect({ code, tools: new Set(calls(stdout).map(({ tool }) => tool)) }).toEqual({
      code: 0,
      tools: new Set(['get_back', 'throw_error']),
    });
    expect(calls(stdout)).toHaveLength(206);
  });

  it.each([
    ['with 130 on an interrupt', 'SIGINT', { code: 130, stdout: '', stderr: expect.stringContaining('Interrupted before') }],
    ['with 0 and without output when its reader closes', READER_GONE, { code: 0, stdout: '', stderr: '' }],
  ])('ends %s during a request to a server', async (_, reason, expected) => {
    const ending = new AbortController();
    const passing = await passOn(served.url, ({ url = '' }) => {
      if (url.startsWith('/api/v1/calls')) ending.abort(reason);
      return ending.signal.aborted;
    });
    const ran = await runCommand(exportCommand, ['--url', passing.url], { signal: ending.signal });
    await passing.close();
    expect(ran).toEqual(expected);
  });

  it('exits normally when its reader closes the pipe', async () => {
    expect(await runUntilPrinted(['export', '--url', served.url], living.folder)).toEqual({ code: 0, stderr: '' });
  });

  it.runIf(existsSync('/dev/full'))('reports that its output cannot be written, without an internal error', () => {
    const { code, stderr } = runOnFullDisk(['--help']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^switchboard: Output cannot be written \(ENOSPC.*\)\.\n$/);
  });

  it('applies filters and the limit', async () => {
    expect(calls((await fromServer('--status', 'failed')).stdout)).toMatchObject([{ tool: 'throw_error' }]);
    expect(calls((await fromServer('--limit', '3', '--since', '1h')).stdout)).toHaveLength(3);
    expect((await fromServer('--until', '1h')).stdout).toBe('');
  });

  it('reads a time without a zone as UTC, in any time zone', async () => {
    vi.stubEnv('TZ', 'Pacific/Honolulu');
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
    for (const time of [anHourAgo, anHourAgo.slice(0, 19), anHourAgo.slice(0, 16).replace('T', ' ')]) {
      expect(calls((await fromServer('--limit', '3', '--since', time)).stdout), time).toHaveLength(3);
      expect((await fromServer('--until', time)).stdout, time).toBe('');
    }
    vi.unstubAllEnvs();
  });

  it('prints a table', async () => {
    const { stdout } = await fromServer('--csv', '--tool', 'throw_error');
    const [head, row] = stdout.split('\r\n');
    expect(head).toMatch(/^id,started_at,finished_at,duration_ms,tool,/);
    expect(row).toContain(',throw_error,back,1,');
    expect(row).toContain(',failed,execution_error,"no, ""luck""",{},,');
  });

  it('reads the data folder of a stopped server, and refuses that of a running one', async () => {
    const env = { PATH: process.env['PATH'], PORT: '9' };
    const running = await runCommand(exportCommand, [], { cwd: living.folder, env });
    expect(running).toMatchObject({ code: 3, stdout: '' });
    expect(running.stderr).toContain('Use --url');

    const other = await startHost({ 'back/extension.js': EXTENSION }, OF_SQLITE);
    await other.call('get_back', { text: 'kept' });
    await other.host.close();
    const { code, stdout } = await runCommand(exportCommand, [], { cwd: other.folder, env });
    expect({ code, results: calls(stdout).map((call) => call.result) }).toEqual({ code: 0, results: ['kept'] });
    await (await other.restart()).remove();
  });

  it.each([
    [['--status', 'broken'], '--status is "broken"; accepted: running, succeeded, failed, timed_out, cancelled.'],
    [['--since', 'yesterday'], '--since is "yesterday"; accepted: a time'],
    [['--limit', '0'], '--limit is "0"'],
    [['--tol', 'x'], 'Did you mean --tool?'],
    [['calls.ndjson'], '“calls.ndjson” is not an option. Write filters as options'],
  ])('refuses %j with a message', async (args, words) => {
    const ran = await fromServer(...args);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(words);
  });
});

/** Follows events until the output satisfies `isEnough`, while `happens` causes events. */
async function follow(args: readonly string[], isEnough: (stdout: string) => boolean, url = served.url) {
  const ending = new AbortController();
  let stdout = '';
  let connected: () => void = () => undefined;
  const first = new Promise<void>((resolve) => (connected = resolve));
  const ran = runCommand(tailCommand, [...args, '--url', url], {
    signal: ending.signal,
    print: async (text) => {
      stdout += text;
      connected();
      if (isEnough(stdout)) ending.abort();
    },
  });
  return { first, ran: ran.then((end) => ({ ...end, stdout })) };
}

describe('switchboard tail', () => {
  it('prints events, and the status of ended calls', async () => {
    const after = String(living.host.events.lastId());
    await living.call('throw_error');
    const { ran } = await follow(['--after', after], (text) => text.includes('call.finished'));
    const { code, stdout } = await ran;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d call\.started {6}throw_error {2}running {2}\S+\n/);
    expect(stdout).toMatch(/call\.finished {5}throw_error {2}failed {2}\d+ ms {2}api {2}\S+ {2}no, "luck"\n$/);
  });

  it('filters by types, tool and extension', async () => {
    const after = String(living.host.events.lastId());
    await living.call('throw_error');
    await living.call('get_back');
    const args = ['--after', after, '--types', 'call.finished', '--tool', 'get_back', '--extension', 'back', '--json'];
    const { stdout } = await (await follow(args, (text) => text.includes('\n'))).ran;
    expect(lines(stdout).map((line) => JSON.parse(line))).toMatchObject([{ type: 'call.finished', data: { tool: 'get_back' } }]);
  });

  it('resumes after the connection broke, without missing or repeating anything', async () => {
    const passing = await serveHost(living.host);
    const after = String(living.host.events.lastId());
    const texts = (stdout: string) => lines(stdout).length;
    const following = await follow(['--after', after, '--types', 'call.finished', '--json'], (text) => texts(text) === 3, passing.url);
    await living.call('get_back', { text: 'one' });
    await following.first;
    const { port } = new URL(passing.url);
    await passing.close();
    await living.call('get_back', { text: 'two' });
    const again = await serveHost(living.host, Number(port));
    await living.call('get_back', { text: 'three' });
    const { stdout, stderr } = await following.ran;
    await again.close();
    const ids = lines(stdout).map((line) => Number(JSON.parse(line).id));
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    expect(ids).toHaveLength(3);
    expect(stderr).toMatch(/Lost the connection to .*: .*Retrying\.\nReconnected\.\n$/s);
  });

  it('reports an unknown type, and an unavailable server', async () => {
    const wrong = await runCommand(tailCommand, ['--types', 'call.ended', '--url', served.url]);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('“call.ended” is not an event type.');
    expect(await runCommand(tailCommand, ['get_back', '--url', served.url])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('“get_back” is not an option.'),
    });
    expect((await runCommand(tailCommand, ['--url', 'http://127.0.0.1:9'])).code).toBe(3);
  });
});
