import { execSync } from 'node:child_process';
import * as fs from 'node:fs';
import { expect, it } from 'vitest';
import { blockingWarnings } from './describe-exports.ts';

const called = (run: unknown): readonly (string | undefined)[] =>
  blockingWarnings(run, 'execute').map((text) => /calls `([^`]+)`/.exec(text)?.[1]);

it('names the calls that block the entire process, and what to await instead', () => {
  const run = (command: string): unknown => [execSync(command), fs.readFileSync('a.txt'), execSync(command)];
  expect(blockingWarnings(run, 'run')).toEqual([
    '`run` calls `execSync`, which blocks: until it returns, no other call of this extension can run or be cancelled. Await `exec` of node:child_process (by `promisify`, or its events) instead.',
    '`run` calls `readFileSync`, which blocks: until it returns, no other call of this extension can run or be cancelled. Await `readFile` of node:fs/promises instead.',
  ]);
});

it('recognizes names with a number from the bundler, and waits for other threads', () => {
  const spawnSync2 = (): number => 0;
  const cells = new Int32Array(1);
  expect(called(() => [spawnSync2(), Atomics.wait(cells, 0, 0)])).toEqual(['spawnSync', 'Atomics.wait']);
});

it('ignores awaited calls, similar names, and values that are not functions', () => {
  const lastSync = (): number => 0;
  const myReadFileSync = (): number => 0;
  expect(called(async () => [await fs.promises.readFile('a'), lastSync(), myReadFileSync(), fs.existsSync('a')])).toEqual([]);
  expect(called('readFileSync()')).toEqual([]);
});
