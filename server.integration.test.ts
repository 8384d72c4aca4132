import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSpanCollector } from '#lib/testing/span-collector.ts';

const SERVER = join(import.meta.dirname, 'server.ts');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'server-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the server to its end with these variables and nothing else that could change it. */
async function start(
  env: Record<string, string>,
): Promise<{ readonly code: number | null; readonly out: string; readonly reason: string }> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [SERVER], {
    cwd: folder,
    env: { NODE_ENV: 'production', PATH, HOME, PORT: '0', ...env },
    timeout: 30_000,
  });
  let out = '';
  let reason = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    reason += chunk.toString();
  });
  await once(child, 'close');
  return { code: child.exitCode, out, reason };
}

test.each(['0.0.0.0', '::', '[::]', '0', '0x0', '::ffff:0.0.0.0', '', '*'])(
  'ends with the reason when HOST=%j would open it to everybody',
  async (host) => {
    const ended = await start({ HOST: host });
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.reason).toMatch(/^switchboard: HOST is ".*"; accepted: a loopback address .*\n$/);
  },
);

test('ends with what is missing when a team is to be reached by others', async () => {
  const ended = await start({ AUTH: 'team', HOST: '0.0.0.0', PUBLIC_URL: 'https://board.example.com' });
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.reason).toMatch(/^switchboard: AUTH_SECRET is not set; .* accepted: 32 characters or more .*\n$/);
});

test('ends with one line for a wrong variable, never showing the admin token', async () => {
  const ended = await start({ PORT: 'many', EXTENSIONS_ADMIN_TOKEN: 'hush-hush' });
  expect(ended).toEqual({
    code: 1,
    out: '',
    reason: 'switchboard: PORT is "many"; accepted: a whole number from 0 to 65535 (0 takes any free port).\n',
  });
});

test('says what to do when the pages are not built', async () => {
  const ended = await start({ NEXT_DIST_DIR: join('.cache', 'nothing-here') });
  expect(ended.code).toBe(1);
  expect(ended.reason).toMatch(/^switchboard: The pages are not built yet\. Run `npm start`.*\n$/);
});

test('names who has the port and leaves the data alone', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const build = join(folder, 'build');
  mkdirSync(build);
  writeFileSync(join(build, 'BUILD_ID'), 'x');
  const ended = await start({ PORT: String(port), NEXT_DIST_DIR: build });
  other.close();
  expect(ended.code).toBe(1);
  expect(ended.reason).toMatch(
    new RegExp(`^switchboard: PORT is ${port}, which .+ already uses on 127\\.0\\.0\\.1\\. Stop that program, or set PORT .*\\n$`),
  );
});

test('sends the spans that still wait when it stops, and writes the log as it is asked to, without its secrets', async () => {
  const build = join(folder, 'build');
  mkdirSync(build);
  writeFileSync(join(build, 'BUILD_ID'), 'x');
  mkdirSync(join(folder, 'extensions', 'broken'), { recursive: true });
  writeFileSync(join(folder, 'extensions', 'broken', 'extension.mjs'), 'export const TOOL = {');
  const collector = await startSpanCollector();
  // The pages cannot start from this build, so the server exits after the load.
  const ended = await start({
    NEXT_DIST_DIR: build,
    LOG_FORMAT: 'json',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=very-secret',
  });
  await collector.close();
  expect(ended.code).toBe(1);
  expect(collector.spans.map(({ name }) => name)).toContain('load broken');
  expect(collector.requests[0]?.headers).toMatchObject({ 'x-key': 'very-secret' });
  const lines = ended.out
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'error', extension: 'broken', msg: expect.stringContaining('syntax_error') }),
  );
  expect(ended.out + ended.reason).not.toContain('very-secret');
});
