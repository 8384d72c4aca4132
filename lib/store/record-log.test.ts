import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRecordFiles } from './record-file.ts';
import type { RecordFiles } from './record-file.ts';
import { createRecordLog } from './record-log.ts';
import type { RecordLog } from './record-log.ts';
import { storeClosed } from './storage-error.ts';
import type { WritePace } from './write-pace.ts';

const WAITING = { waits: () => true, took: () => undefined };
const BY_THREAD = { waits: () => false, took: () => undefined };
const KEY = 12;
const LARGE = 'z'.repeat(1_000_000);

let folder: string;
let log: RecordLog;
let pace: WritePace;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-records-'));
  writeFileSync(path.join(folder, 'a.db'), '');
  pace = WAITING;
  log = open();
});

afterEach(async () => {
  await log.close();
  rmSync(folder, { recursive: true });
});

function files(): RecordFiles {
  return openRecordFiles(path.join(folder, 'a.db'), pace);
}

function open(released = 0): RecordLog {
  return createRecordLog({ files: files(), key: KEY, released, closedError: storeClosed });
}

function append(text: string): Promise<number> {
  return new Promise((resolve, reject) => log.append(text, (error, number) => (error === null ? resolve(number) : reject(error))));
}

/** What the next start finds. */
async function foundNext(released = 0): Promise<readonly string[]> {
  const next = open(released);
  await next.close();
  return next.found.map(({ text }) => text);
}

it('has on disk what it answered, in order, and numbers that go on', async () => {
  expect(await Promise.all(['a', 'b', 'c'].map(append))).toEqual([0, 1, 2]);
  expect(await append('d')).toBe(3);
  expect(log.unanswered()).toBe(4);
  expect(await foundNext()).toEqual(['a', 'b', 'c', 'd']);
  expect(await foundNext(2)).toEqual(['c', 'd']);
  await log.close();
  log = open(4);
  expect(await append('e')).toBe(4);
  expect(await foundNext(4)).toEqual(['e']);
});

it('has on disk what a thread has written for it, in order', async () => {
  await log.close();
  pace = BY_THREAD;
  log = open();
  const answers = ['a', 'b'].map(append);
  await setImmediate();
  expect(await Promise.all([...answers, append('c')])).toEqual([0, 1, 2]);
  pace = WAITING;
  expect(await foundNext()).toEqual(['a', 'b', 'c']);
});

it('puts a write off for those that shared the last one, for as many turns of the event loop as it takes them to come again', async () => {
  const sizes: number[] = [];
  const [first, second] = files();
  const counted = {
    ...first,
    write: (...[bytes, at, done]: Parameters<typeof first.write>) => {
      sizes.push(bytes.length);
      first.write(bytes, at, done);
    },
  };
  await log.close();
  log = createRecordLog({ files: [counted, second], key: KEY, released: 0, closedError: storeClosed });
  await append('grows');
  await Promise.all(['a', 'b', 'c'].map(append));
  const [, ofThree = 0] = sizes;
  const scattered = [append('d')];
  await setImmediate();
  scattered.push(append('e'));
  await setImmediate();
  scattered.push(append('f'));
  await Promise.all(scattered);
  expect(sizes.slice(2)).toEqual([ofThree]);
  await append('alone');
  await append('alone');
  expect(sizes.slice(3)).toHaveLength(2);
  expect(await foundNext()).toEqual(['grows', 'a', 'b', 'c', 'd', 'e', 'f', 'alone', 'alone']);
});

it('goes on behind what is not released', async () => {
  await append('a');
  await log.close();
  log = open();
  await append('b');
  expect(await foundNext()).toEqual(['a', 'b']);
});

it('writes two files in turns, and each anew only when it is released', async () => {
  for (let count = 0; count < 5; count += 1) await append(`${count}${LARGE}`);
  expect(log.isToBeReleased()).toBe(false);
  for (let count = 5; count < 12; count += 1) await append(`${count}${LARGE}`);
  expect(log.isToBeReleased()).toBe(true);
  const begins = (await foundNext()).map((text) => text.replace(/z+/, ''));
  expect(begins).toEqual(Array.from({ length: 12 }, (_, count) => String(count)));
  log.release(12);
  expect(log.isToBeReleased()).toBe(false);
  await append('last');
  expect(await foundNext(12)).toEqual(['last']);
  expect(
    files()
      .map((file) => file.size())
      .every((size) => size < 9_000_000),
  ).toBe(true);
});

it('refuses what the disk refuses, and the next one takes its place', async () => {
  let refusal: Error | null = null;
  const [first, second] = files();
  const fragile = {
    ...first,
    write: (...[bytes, at, done]: Parameters<typeof first.write>) => (refusal === null ? first.write(bytes, at, done) : done(refusal)),
  };
  await log.close();
  log = createRecordLog({ files: [fragile, second], key: KEY, released: 0, closedError: storeClosed });
  await append('a');
  refusal = new Error('EIO');
  await expect(append('b')).rejects.toThrow('EIO');
  expect(log.failure()).toBe(refusal);
  refusal = null;
  expect(await append('c')).toBe(1);
  expect(log.failure()).toBeNull();
  expect(await foundNext()).toEqual(['a', 'c']);
});

it('takes nothing after its close, and all before', async () => {
  const last = append('a');
  await log.close();
  expect(await last).toBe(0);
  await expect(append('b')).rejects.toMatchObject({ code: 'storage_unavailable' });
  log = open();
});
