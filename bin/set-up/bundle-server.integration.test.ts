import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { bundleServer, serverProgram } from './bundle-server.mjs';

const ROOT = path.dirname(path.dirname(import.meta.dirname));
const CACHE = path.join(ROOT, '.cache');

let into: string;
beforeEach(() => {
  mkdirSync(CACHE, { recursive: true });
  into = mkdtempSync(path.join(CACHE, 'bundle-test-'));
  vi.spyOn(console, 'log').mockReturnValue();
});
afterEach(() => rmSync(into, { recursive: true, force: true }));

/** Runs the program of `npm start` until it exits. */
async function run(env: Record<string, string>): Promise<{ readonly code: number | null; readonly output: string }> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, serverProgram(into), {
    cwd: ROOT,
    env: { PATH, HOME, NODE_ENV: 'production', PORT: '0', ...env },
    timeout: 30_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  await once(child, 'close');
  return { code: child.exitCode, output };
}

it('runs the bundle, which resolves files relative to the sources and names sources in its stacks', async () => {
  await bundleServer(into);
  expect(serverProgram(into).at(-1)).toMatch(/^.*bundle-test-.*server\.js$/);
  const build = path.join(into, 'build');
  mkdirSync(build);
  writeFileSync(path.join(build, 'BUILD_ID'), 'no pages are here');
  const extensions = path.join(into, 'extensions');
  const ended = await run({ NEXT_DIST_DIR: build, EXTENSIONS_DIR: extensions, DATA_DIR: path.join(into, 'data') });
  expect(ended.output).toContain('The pages did not start');
  expect(ended.output).toMatch(/lib\/api\/node\/next-pages\.ts:\d+/);
  expect(ended.code).toBe(1);
});

it('runs the sources when there is no bundle', async () => {
  expect(serverProgram(into).at(-1)).toBe(path.join(ROOT, 'server.ts'));
  expect(await run({ PORT: 'many' })).toMatchObject({ code: 1, output: expect.stringContaining('PORT is "many"') });
});

it('creates one bundle for the same sources, and leaves nothing else behind', async () => {
  await bundleServer(into);
  await bundleServer(into);
  expect(readdirSync(into)).toEqual([path.basename(path.dirname(serverProgram(into).at(-1) ?? ''))]);
});
