import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Script } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { childrenOf } from '#lib/testing/child-processes.ts';
import { buildChildProgram } from './child-program.ts';
import { codeCacheFileIn } from './code-cache-file.ts';
import { createCodeCacheWriter } from './code-cache.ts';
import { startNodeProcess } from './node-process.ts';

const PATIENCE = { timeout: 20_000 };
const place = mkdtempSync(path.join(tmpdir(), 'code-cache-'));
const codeOf = (program: string): string => codeCacheFileIn(path.dirname(program));
afterAll(() => rmSync(place, { recursive: true }));

/** The first message of a program started with the permissions of an extension's process. */
async function firstWord(program: string): Promise<string> {
  const child = startNodeProcess(
    { childProgram: program, prefix: [], memoryMb: 256, maxResultBytes: 1_000, workspaceRoot: place, environment: {} },
    [`--allow-fs-read=${path.dirname(program)}`],
  );
  onTestFinished(async () => {
    child.kill('unwanted');
    await child.ended;
  });
  return new Promise((resolve, reject) => {
    child.listen({
      onMessage: ({ type }) => resolve(type),
      onEnd: ({ detail }) => reject(new Error(`${detail ?? ''} ${child.tail() ?? ''}`)),
      onOutput: () => undefined,
    });
  });
}

describe.each(['child', 'guard', 'server'] as const)('the code cache of the program %s', (name) => {
  let program: string;
  beforeAll(async () => {
    program = await buildChildProgram(place, name);
  });

  it('is written by a separate process, accepted by V8, and written once', async () => {
    expect(await firstWord(program)).toBe('hello');
    expect(existsSync(codeOf(program))).toBe(false);
    const codeCache = createCodeCacheWriter();
    codeCache.write(program);
    await vi.waitUntil(() => existsSync(codeOf(program)), PATIENCE);
    await codeCache.close();
    const text = readFileSync(path.join(path.dirname(program), 'program.js'), 'latin1');
    const cachedData = readFileSync(codeOf(program));
    expect(new Script(text, { filename: program, cachedData }).cachedDataRejected).toBe(false);
    expect(readdirSync(path.dirname(program)).toSorted()).toEqual([path.basename(codeOf(program)), 'main.cjs', 'program.js']);
    expect(await firstWord(program)).toBe('hello');
    const before = childrenOf(process.pid).length;
    codeCache.write(program);
    expect(childrenOf(process.pid)).toHaveLength(before);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['other data', Buffer.from('no code')],
    ['half of the cache', null],
  ])('is ignored when it contains %s', async (_, bytes) => {
    writeFileSync(codeOf(program), bytes ?? readFileSync(codeOf(program)).subarray(0, 90_000));
    expect(await firstWord(program)).toBe('hello');
  });
});

it('keeps programs in use, and removes those not started for a month', async () => {
  const cache = path.join(place, 'months');
  const [old, used, foreign] = ['child-0123456789abcdef.mjs', 'server-0123456789abcdef', 'notes'].map((name) => path.join(cache, name));
  const longAgo = new Date(Date.now() - 31 * 24 * 3_600_000);
  for (const folder of [old, used, foreign]) {
    mkdirSync(folder ?? '', { recursive: true });
    utimesSync(folder ?? '', longAgo, longAgo);
  }
  utimesSync(used ?? '', new Date(), new Date());
  const program = await buildChildProgram(cache, 'guard');
  expect(readdirSync(cache).toSorted()).toEqual([path.basename(path.dirname(program)), 'notes', 'server-0123456789abcdef']);
  utimesSync(path.dirname(program), longAgo, longAgo);
  expect(await buildChildProgram(cache, 'guard')).toBe(program);
  await buildChildProgram(cache, 'child');
  expect(existsSync(program)).toBe(true);
});

it('ends its process on close', async () => {
  const program = await buildChildProgram(path.join(place, 'other'));
  const codeCache = createCodeCacheWriter();
  const before = childrenOf(process.pid).length;
  codeCache.write(program);
  expect(childrenOf(process.pid)).toHaveLength(before + 1);
  await codeCache.close();
  expect(childrenOf(process.pid)).toHaveLength(before);
});
