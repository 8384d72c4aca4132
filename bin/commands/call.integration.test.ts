import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callSchema } from '#lib/contract/call.ts';
import { OF_SQLITE, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';
import { callCommand } from './call.ts';
import { runCommand, runProgram } from './command-for-tests.ts';
import { passOn } from './request-proxy-for-tests.ts';

const EXTENSION = `export const TOOLS = [
  {
    label: 'Test', name: 'get_back', description: 'Gives back what it gets.',
    parameters: { text: { type: 'string' }, count: { type: 'integer' }, any: {} },
    execute: (args, ctx) => { ctx.log.info('asked'); return args; },
  },
  { label: 'Test', name: 'say_word', description: 'Says a word.', parameters: {}, execute: () => 'a\\u001b[2Jb' },
  { label: 'Test', name: 'say_signs', description: 'Says what steers a terminal.', parameters: {}, execute: () => 'a\\u009b2J\\u202eb' },
  { label: 'Test', name: 'throw_error', description: 'Throws.', parameters: {}, execute: () => { throw new Error('no luck'); } },
  { label: 'Test', name: 'wait_long', description: 'Waits.', parameters: {}, execute: (_, { signal }) => new Promise((_, no) => signal.addEventListener('abort', no)) },
];
`;

let living: LivingHost;
let served: ServedHost;
let empty: string;
beforeAll(async () => {
  living = await startHost({ 'back/extension.js': EXTENSION });
  served = await serveHost(living.host);
  empty = await mkdtemp(path.join(tmpdir(), 'switchboard-call-'));
  await cp(path.join(living.folder, 'extensions'), path.join(empty, 'extensions'), { recursive: true });
});
afterAll(async () => {
  await served.close();
  await living.remove();
  await rm(empty, { recursive: true, force: true });
});

/** An unused port, for commands that look for a server. */
const NOBODY = { PATH: process.env['PATH'], PORT: '9' };
const asked = (...args: string[]) => runCommand(callCommand, args, { env: { ...NOBODY, SWITCHBOARD_URL: served.url } });
const alone = (...args: string[]) => runCommand(callCommand, args, { cwd: empty, env: NOBODY });

describe.each([
  ['asking a server', asked],
  ['alone', alone],
])('switchboard call, %s', (_name, call) => {
  it('prints the result, as JSON or as plain text', async () => {
    expect(await call('get_back', '{"text": "one", "any": [null]}')).toEqual({
      code: 0,
      stdout: '{\n  "text": "one",\n  "any": [\n    null\n  ]\n}\n',
      stderr: '',
    });
    expect((await call('say_word')).stdout).toBe('a\u001b[2Jb\n');
  });

  it('reads name=value as JSON, but as text for a string parameter', async () => {
    const { stdout } = await call('get_back', 'text=007', 'count=7', 'any={"deep": true}', '--json');
    expect(callSchema.parse(JSON.parse(stdout))).toMatchObject({
      source: 'cli',
      status: 'succeeded',
      result: { text: '007', count: 7, any: { deep: true } },
    });
  });

  it.each([['any=[1234567890123456789]'], ['{"any": [1234567890123456789]}']])('sends integers by their digits: %s', async (words) => {
    expect(await call('get_back', words)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\/any\/0: .* would not arrive exactly/),
    });
  });

  it('reports the status by its exit code, and the reason on stderr', async () => {
    expect(await call('throw_error')).toEqual({ code: 1, stdout: '', stderr: 'execution_error: no luck\n' });
    const wrong = await call('get_back', 'count=many');
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toMatch(/^invalid_parameters: .*\/count/);
    expect(await call('wait_long', '--timeout', '1')).toMatchObject({ code: 124, stdout: '' });
  });

  it('suggests a tool for a typo', async () => {
    expect(await call('get_bakc')).toEqual({
      code: 3,
      stdout: '',
      stderr: 'switchboard call: Tool “get_bakc” not found. Did you mean get_back?\n',
    });
  });

  it('prints the log of the call and records the caller', async () => {
    const { stdout, stderr } = await call('get_back', '--logs', '--json', '--actor', 'Ærlig');
    expect(stderr).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}asked\n$/);
    expect(callSchema.parse(JSON.parse(stdout)).actor).toBe('Ærlig');
  });
});

describe('switchboard call', () => {
  it('is recorded on the server that ran it', async () => {
    const { stdout } = await asked('get_back', 'text=recorded', '--json');
    const { id } = callSchema.parse(JSON.parse(stdout));
    expect(await living.host.calls.get(id)).toMatchObject({ ok: true, value: { source: 'cli', arguments: { text: 'recorded' } } });
  });

  it('prints JSON without terminal control characters, and the same value', async () => {
    const { stdout } = await asked('say_signs', '--json');
    expect(stdout).toContain('"a\\u009b2J\\u202eb"');
    expect(callSchema.parse(JSON.parse(stdout)).result).toBe('a\u009b2J\u202eb');
  });

  it('exits with 130 when interrupted before the server answers', async () => {
    const ending = new AbortController();
    const env = { ...NOBODY, SWITCHBOARD_URL: served.url };
    const ran = runCommand(callCommand, ['wait_long'], { env, signal: ending.signal });
    const running = async () => {
      const page = await living.host.calls.list({ tool: 'wait_long', status: ['running'], limit: 1 });
      return page.ok ? page.value.calls[0]?.id : undefined;
    };
    await expect.poll(running).toBeDefined();
    ending.abort();
    expect(await ran).toMatchObject({ code: 130, stdout: '', stderr: expect.stringContaining('The call continues on the server') });
    await living.host.calls.cancel((await running()) ?? '');
  });

  it('retries when the connection breaks before the response, and runs once', async () => {
    let isBroken = false;
    const passing = await passOn(served.url, ({ method }, response) => {
      if (method !== 'POST' || isBroken) return false;
      isBroken = true;
      response.destroy();
      return true;
    });
    const ran = await runCommand(callCommand, ['get_back', 'text=once', '--actor', 'once', '--url', passing.url]);
    await passing.close();
    expect(ran).toMatchObject({ code: 0, stdout: '{\n  "text": "once"\n}\n', stderr: expect.stringContaining('The connection broke') });
    const page = await living.host.calls.list({ q: 'once', limit: 10 });
    expect(page.ok && page.value.calls.map(({ arguments: given }) => given)).toEqual([{ text: 'once' }]);
  });

  it('writes nothing to a folder without data of a server, and is recorded in a folder with data', async () => {
    await alone('get_back');
    expect(await readdir(empty)).toEqual(['extensions']);
    const other = await startHost({ 'back/extension.js': EXTENSION }, OF_SQLITE);
    await other.host.close();
    const { stdout } = await runCommand(callCommand, ['get_back', '--json'], { cwd: other.folder, env: NOBODY });
    const again = await other.restart();
    expect(await again.host.calls.get(callSchema.parse(JSON.parse(stdout)).id)).toMatchObject({ ok: true, value: { source: 'cli' } });
    await again.remove();
  });

  it('reads arguments from stdin and from a file', async () => {
    const piped = await runCommand(callCommand, ['get_back', '-'], {
      env: { ...NOBODY, SWITCHBOARD_URL: served.url },
      stdin: Readable.from(['{"text": ', '"piped"}']),
    });
    expect(JSON.parse(piped.stdout)).toEqual({ text: 'piped' });
    await mkdir(path.join(empty, 'given'), { recursive: true });
    await writeFile(path.join(empty, 'given', 'some.json'), '{"count": 3}');
    const filed = await runCommand(callCommand, ['get_back', '@given/some.json', '--url', served.url], { cwd: empty, env: NOBODY });
    expect(JSON.parse(filed.stdout)).toEqual({ count: 3 });
    await rm(path.join(empty, 'given'), { recursive: true });
  });

  it('reads a text on stdin unchanged, at any chunk boundary', async () => {
    const bytes = Buffer.from('\uFEFF{"text": "1 €"}');
    const ask = (...pieces: readonly Buffer[]) =>
      runCommand(callCommand, ['get_back', '-'], { env: { ...NOBODY, SWITCHBOARD_URL: served.url }, stdin: Readable.from(pieces) });
    const piped = await ask(...[...bytes].map((byte) => Buffer.of(byte)));
    expect(JSON.parse(piped.stdout)).toEqual({ text: '1 €' });
    expect(await ask(Buffer.from('{"text": "ä"}', 'latin1'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('stdin is not UTF-8.'),
    });
  });

  it.each([
    [['get_back', '[1]'], 'is not an argument'],
    [['get_back', '--revision', '-1'], '--revision needs a value; write --revision=-1 if it starts with a dash.'],
    [['get_back', '--revision=-1'], '--revision is "-1"; accepted: an integer from 1'],
    [['get_back', '--url'], '--url needs a value.'],
    [['get_back', '--json=yes'], '--json takes no value.'],
    [['get_back', '{"text": 1'], 'The argument is not JSON'],
    [['get_back', 'text=1', 'text=2'], 'is given twice'],
    [['get_back', '{}', 'text=1'], 'nothing may follow'],
    [['get_back', '--timeout', 'soon'], '--timeout is "soon"; accepted: an integer from 1 to 3600.'],
    [[], 'Name a tool'],
    [['get_back', '--alone', '--url', 'http://127.0.0.1:1'], 'use one of them'],
    [['get_back', '--url', 'localhost:3000'], 'is not a server address'],
  ])('refuses %j with a message', async (args, words) => {
    const ran = await asked(...args);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(words);
  });

  it('loads no extensions itself when a named server does not answer', async () => {
    const ran = await runCommand(callCommand, ['get_back', '--url', 'http://127.0.0.1:9'], { cwd: empty, env: NOBODY });
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain('No Switchboard answers at http://127.0.0.1:9');
  });

  it('runs as a program, without set-up output on stdout', async () => {
    const ran = await runProgram(['call', 'get_back', '-'], empty, { PORT: '9' }, '{"count": 1}');
    expect(ran).toEqual({ code: 0, stdout: '{\n  "count": 1\n}\n', stderr: '' });
  });
});
