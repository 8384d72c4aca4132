import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimFolder } from './sqlite/folder-claim.ts';
import { makeFolder } from './make-folder.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(path.join(tmpdir(), 'make-folder-'));
});
afterEach(() => rmSync(place, { recursive: true }));

it('creates missing parents too, and leaves existing folders unchanged', () => {
  const folder = path.join(place, 'a/b/c');
  makeFolder(folder);
  makeFolder(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
});

it('reports a file at the path', () => {
  writeFileSync(path.join(place, 'a'), '');
  expect(() => makeFolder(path.join(place, 'a/b'))).toThrow(/EEXIST|ENOTDIR/);
});

it.runIf(process.platform === 'linux')('fails immediately if the file system cannot create folders', () => {
  expect(() => makeFolder('/proc/none/at/all')).toThrow(/ENOENT/);
  expect(claimFolder('/proc/none')).toMatchObject({ ok: false, isTaken: false, reason: expect.stringContaining('/proc/none') });
});
