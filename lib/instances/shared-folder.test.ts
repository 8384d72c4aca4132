import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Instance } from '#lib/contract/instance.ts';
import { instanceRecord } from '#lib/testing/api-records.ts';
import type { FileChange, SharedFile } from '#lib/store/shared-files.ts';
import { listFolder } from './folder-files.ts';
import { createSharedFolder } from './shared-folder.ts';
import type { SharedFolder } from './shared-folder.ts';

let root: string;
let folder: SharedFolder;
let taken: FileChange[];
let notice: () => void;
let others: readonly Instance[];
let log: { readonly message: string; readonly file: unknown }[];
const PATIENCE = { timeout: 20_000, interval: 20 };

const at = (file: string): string => path.join(root, 'extensions', file);
const textsOf = (file: string): string[] =>
  taken.flatMap(({ path: one, content }) => (one === file && content !== null ? [Buffer.from(content).toString('utf8')] : []));

/** Versions of each file in the database. */
const newest = (): unknown =>
  Object.fromEntries(taken.map(({ path: file, content }) => [file, content === null ? null : Buffer.from(content).toString('utf8')]));

function open(): SharedFolder {
  return createSharedFolder({
    shared: {
      files: {
        async changesAfter(version) {
          const newest = new Map(
            taken.map(({ path: file, hash }, index): [string, SharedFile] => [file, { path: file, hash, version: index + 1 }]),
          );
          return [...newest.values()].filter((file) => file.version > version);
        },
        contents: async (hashes) =>
          new Map(
            taken.flatMap(({ hash, content }) => (hash !== null && content !== null && hashes.includes(hash) ? [[hash, content]] : [])),
          ),
        async change(change) {
          taken.push(change);
          return { ok: true, version: taken.length };
        },
        addConflict: async () => true,
        conflicts: async () => [],
        settle: async () => false,
        sweep: async () => undefined,
      },
      notices: {
        send: () => undefined,
        on: (_kind, listener) => {
          notice = () => listener('');
          return () => undefined;
        },
      },
      instances: { setLocalFiles: async () => undefined },
    },
    extensionsDir: path.join(root, 'extensions'),
    stateFile: path.join(root, 'state.json'),
    instances: { id: () => 'one', list: async () => [...others] },
    onConflicts: () => undefined,
    log: (_level, message, fields) => log.push({ message, file: fields?.['file'] }),
    isWatched: () => true,
  });
}

beforeEach(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'shared-folder-'));
  taken = [];
  others = [];
  log = [];
  folder = open();
  await folder.start();
});

afterEach(async () => {
  vi.useRealTimers();
  await folder.close();
  rmSync(root, { recursive: true });
});

it('shares the complete file, not the empty one that the editor wrote first', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  writeFileSync(at('saved.txt'), '');
  writeFileSync(at('mark.txt'), 'looked at after it');
  utimesSync(at('mark.txt'), 0, 0);
  folder.look([at('saved.txt'), at('mark.txt')]);
  await vi.waitFor(() => expect(textsOf('mark.txt')).toHaveLength(1));
  writeFileSync(at('saved.txt'), 'complete');
  vi.setSystemTime(Date.now() + 60_000);
  await folder.settled();
  expect(textsOf('saved.txt')).toEqual(['complete']);
});

it('shares a file that is written continuously', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  writeFileSync(at('log.txt'), 'line');
  folder.look([at('log.txt')]);
  await folder.settled();
  expect(textsOf('log.txt')).toEqual(['line']);
});

it('shares a file saved in the browser immediately, even an empty one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  // SHA-256 of the empty text.
  folder.expect([{ path: 'empty.py', hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }], 'Ada');
  writeFileSync(at('empty.py'), '');
  folder.look([at('empty.py')]);
  await folder.settled();
  expect(taken).toMatchObject([{ path: 'empty.py', actor: 'Ada' }]);
});

it('restores the base version of each file, even when the last line of the state file is truncated', async () => {
  const state = path.join(root, 'state.json');
  await saveOld('a.txt', 'one');
  const before = readFileSync(state, 'utf8');
  await saveOld('b.txt', 'two');
  await saveOld('a.txt', 'three');
  const after = readFileSync(state, 'utf8');
  expect(after.startsWith(before)).toBe(true);
  expect(after.slice(before.length)).toMatch(/^.*b\.txt.*\n.*a\.txt.*\n$/);
  const bases = new Map(taken.map(({ path: file, hash }) => [file, hash]));
  await folder.close();
  appendFileSync(state, '["a.txt","cut');
  folder = open();
  await folder.start();
  await saveOld('a.txt', 'four');
  await saveOld('b.txt', 'five');
  expect(taken.slice(-2)).toMatchObject([
    { path: 'a.txt', base: bases.get('a.txt') },
    { path: 'b.txt', base: bases.get('b.txt') },
  ]);
});

async function saveOld(file: string, text: string): Promise<void> {
  mkdirSync(path.dirname(at(file)), { recursive: true });
  writeFileSync(at(file), text);
  utimesSync(at(file), 0, 0);
  folder.look([at(file)]);
  await folder.settled();
}

it('reads a file whose folder was replaced with a file', async () => {
  await saveOld('pack/data/a.json', 'one');
  rmSync(at('pack/data'), { recursive: true });
  writeFileSync(at('pack/data'), 'now a file');
  utimesSync(at('pack/data'), 0, 0);
  folder.look([at('pack/data/a.json'), at('pack/data')]);
  await folder.settled();
  expect(newest()).toEqual({ 'pack/data': 'now a file', 'pack/data/a.json': null });
});

it('shares a folder that replaced a file', async () => {
  await saveOld('pack/data', 'a file');
  rmSync(at('pack/data'));
  mkdirSync(at('pack/data'));
  writeFileSync(at('pack/data/a.json'), 'one');
  utimesSync(at('pack/data/a.json'), 0, 0);
  folder.look([at('pack/data/a.json')]);
  await folder.settled();
  expect(newest()).toEqual({ 'pack/data': null, 'pack/data/a.json': 'one' });
});

/** Saves like another server. */
function saveElsewhere(file: string, text: string | null): void {
  const content = text === null ? null : Buffer.from(text);
  const hash = content === null ? null : createHash('sha256').update(content).digest('hex');
  taken.push({ path: file, content, hash, base: null, instance: 'two', actor: null });
  notice();
}

const textsHere = (): unknown =>
  Object.fromEntries(
    readdirSync(at('.'), { recursive: true, withFileTypes: true })
      .filter((item) => item.isFile())
      .map((item) => path.join(item.parentPath, item.name))
      .map((file) => [path.relative(at('.'), file), readFileSync(file, 'utf8')]),
  );

it.each([
  ['a folder in place of a file', ['data'], ['data/a.json', 'data/b/c.json']],
  ['a file in place of a folder', ['data/a.json', 'data/b/c.json'], ['data']],
])('writes %s, in either order of the changes', async (_, before, after) => {
  for (const isRemovedFirst of [true, false]) {
    for (const file of after) saveElsewhere(file, null);
    for (const file of before) saveElsewhere(file, 'before');
    await vi.waitFor(() => expect(textsHere()).toEqual(Object.fromEntries(before.map((file) => [file, 'before']))), PATIENCE);
    if (isRemovedFirst) for (const file of before) saveElsewhere(file, null);
    for (const file of after) saveElsewhere(file, 'after');
    if (!isRemovedFirst) for (const file of before) saveElsewhere(file, null);
    await vi.waitFor(() => expect(textsHere()).toEqual(Object.fromEntries(after.map((file) => [file, 'after']))), PATIENCE);
  }
  mkdirSync(at('empty'));
  saveElsewhere('empty', 'now a file');
  await vi.waitFor(() => expect(textsHere()).toMatchObject({ empty: 'now a file' }), PATIENCE);
});

it('writes a new script as executable, and a change of a file with its permissions', async () => {
  saveElsewhere('run.sh', '#!/bin/sh');
  saveElsewhere('notes.txt', 'one');
  await vi.waitFor(() => expect(textsHere()).toEqual({ 'run.sh': '#!/bin/sh', 'notes.txt': 'one' }), PATIENCE);
  const isExecutable = (file: string): boolean => (statSync(at(file)).mode & 0o100) !== 0;
  expect(['run.sh', 'notes.txt'].map(isExecutable)).toEqual([true, false]);
  chmodSync(at('run.sh'), 0o640);
  chmodSync(at('notes.txt'), 0o700);
  saveElsewhere('run.sh', '#!/bin/bash');
  saveElsewhere('notes.txt', 'two');
  await vi.waitFor(() => expect(textsHere()).toEqual({ 'run.sh': '#!/bin/bash', 'notes.txt': 'two' }), PATIENCE);
  expect(['run.sh', 'notes.txt'].map((file) => statSync(at(file)).mode & 0o777)).toEqual([0o640, 0o700]);
  saveElsewhere('later.sh', '');
  await vi.waitFor(() => expect(textsHere()).toMatchObject({ 'later.sh': '' }), PATIENCE);
  saveElsewhere('later.sh', '#!/bin/sh');
  await vi.waitFor(() => expect(textsHere()).toMatchObject({ 'later.sh': '#!/bin/sh' }), PATIENCE);
  expect(isExecutable('later.sh')).toBe(true);
});

it('writes the other files when one cannot be written, and writes that one once it can', async () => {
  writeFileSync(at('large'), Buffer.alloc(1_048_577));
  saveElsewhere('large/a.txt', 'one');
  saveElsewhere('b.txt', 'two');
  await vi.waitFor(() => expect(existsSync(at('b.txt'))).toBe(true), PATIENCE);
  await saveOld('c.txt', 'three');
  expect(newest()).toMatchObject({ 'c.txt': 'three' });
  await vi.waitFor(() => expect(log).toContainEqual({ message: expect.stringContaining('retrying'), file: 'large/a.txt' }), PATIENCE);
  rmSync(at('large'));
  await vi.waitFor(() => expect(textsHere()).toEqual({ 'large/a.txt': 'one', 'b.txt': 'two', 'c.txt': 'three' }), PATIENCE);
});

async function asNobody(work: () => Promise<void>): Promise<void> {
  // The temporary folder of all tests is accessible only to its user.
  for (const one of [path.dirname(root), root]) chmodSync(one, 0o711);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.('nobody');
  await work().finally(() => isRoot && process.seteuid?.(0));
}

it.each(['a/secret.txt', 'a'])('does not change the shared version of an unreadable %s, and shares the other files', async (unreadable) => {
  await saveOld('a/secret.txt', 'one');
  writeFileSync(at('b.txt'), 'two');
  utimesSync(at('b.txt'), 0, 0);
  writeFileSync(at('a/secret.txt'), 'changed');
  utimesSync(at('a/secret.txt'), 0, 0);
  chmodSync(at(unreadable), 0);
  await asNobody(async () => {
    folder.look();
    await folder.settled();
    folder.look([at('a/secret.txt')]);
    await folder.settled();
  });
  expect(newest()).toEqual({ 'a/secret.txt': 'one', 'b.txt': 'two' });
  chmodSync(at(unreadable), 0o755);
  folder.look();
  await vi.waitFor(() => expect(newest()).toEqual({ 'a/secret.txt': 'changed', 'b.txt': 'two' }), PATIENCE);
});

it('does not list a missing folder as an empty one', async () => {
  await expect(listFolder(at('missing'))).rejects.toThrow('ENOENT');
});

it('neither shares nor writes files below a symbolic link', async () => {
  const outside = path.join(root, 'outside');
  mkdirSync(outside);
  writeFileSync(path.join(outside, 'a.txt'), 'local');
  symlinkSync(outside, at('linked'));
  await saveOld('linked/a.txt', 'still local');
  saveElsewhere('linked/a.txt', 'of another');
  saveElsewhere('linked/deep/b.txt', 'of another');
  saveElsewhere('c.txt', 'of another');
  await vi.waitFor(() => expect(textsHere()).toMatchObject({ 'c.txt': 'of another' }), PATIENCE);
  expect(readdirSync(outside)).toEqual(['a.txt']);
  expect(readFileSync(path.join(outside, 'a.txt'), 'utf8')).toBe('still local');
  expect(taken.filter(({ instance }) => instance === 'one')).toEqual([]);
});

async function startAgain(meanwhile: () => void): Promise<readonly FileChange[]> {
  const before = taken.length;
  await folder.close();
  meanwhile();
  folder = open();
  await folder.start();
  await folder.settled();
  return taken.slice(before);
}

it('removes a file on all servers that was removed while the only server was stopped', async () => {
  await saveOld('a.txt', 'one');
  await saveOld('b.txt', 'two');
  expect(await startAgain(() => rmSync(at('a.txt')))).toMatchObject([{ path: 'a.txt', hash: null }]);
});

it('removes a path on all servers that was replaced during a stop, even while others run', async () => {
  await saveOld('a', 'a file');
  await saveOld('b/c.txt', 'in a folder');
  others = [instanceRecord('two')];
  await startAgain(() => {
    for (const file of ['a', 'b']) rmSync(at(file), { recursive: true });
    mkdirSync(at('a'));
    for (const file of ['a/d.txt', 'b']) writeFileSync(at(file), 'replaced');
    for (const file of ['a/d.txt', 'b']) utimesSync(at(file), 0, 0);
  });
  expect(newest()).toEqual({ a: null, 'a/d.txt': 'replaced', b: 'replaced', 'b/c.txt': null });
});

it.each<readonly [string, () => void]>([
  ['of an emptied folder', () => ['a.txt', 'b.txt'].forEach((file) => rmSync(at(file)))],
  [
    'of another folder',
    () => {
      renameSync(at('.'), path.join(root, 'before'));
      mkdirSync(at('.'));
      writeFileSync(at('b.txt'), 'two');
    },
  ],
  [
    'while others run',
    () => {
      others = [instanceRecord('two')];
      rmSync(at('a.txt'));
    },
  ],
])('writes a missing file again %s', async (_, meanwhile) => {
  await saveOld('a.txt', 'one');
  await saveOld('b.txt', 'two');
  expect(await startAgain(meanwhile)).toEqual([]);
  await vi.waitFor(() => expect(readFileSync(at('a.txt'), 'utf8')).toBe('one'));
});
