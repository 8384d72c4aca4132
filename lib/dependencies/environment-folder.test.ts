import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EnvironmentFacts, type EnvironmentFolder, openEnvironmentFolder } from './environment-folder.ts';

const DAY = 86_400_000;
const FACTS: EnvironmentFacts = { ecosystem: 'node', lock: 'a==1', packages: [{ name: 'a', version: '1' }], installer: 'npm 1' };

let root: string;
let folder: EnvironmentFolder;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'environments-'));
  folder = await openEnvironmentFolder(root);
});
afterEach(() => rm(root, { recursive: true }));

async function make(key: string, facts: EnvironmentFacts = FACTS): Promise<string> {
  const making = await folder.begin(key);
  if (making === null) throw new Error('it is being made');
  const { folder: made } = making;
  await mkdir(path.join(made, 'node_modules'));
  await mkdir(path.join(made, 'bin'));
  await writeFile(path.join(made, 'bin', 'program'), `#!${made}/bin/python\n`);
  const { id } = await folder.publish(made, key, facts, ['linux']);
  await making.end();
  return id;
}

it('shares one environment between declarations with the same lock, and counts updates', async () => {
  const id = await make('one');
  expect(await make('two')).toBe(id);
  expect(await folder.ready('one')).toMatchObject({ environment: { id, packages: [{ name: 'a', version: '1' }] }, updates: 0 });
  expect(await folder.ready('three')).toBeNull();
  const other = await make('one', { ...FACTS, lock: 'a==2' });
  expect(other).not.toBe(id);
  expect(await folder.ready('one')).toMatchObject({ environment: { id: other }, updates: 1 });
  expect((await readdir(root)).toSorted()).toEqual(['declared', id, other].toSorted());
  expect(await readFile(path.join(root, id, 'bin', 'program'), 'utf8')).toBe(`#!${root}/${id}/bin/python\n`);
});

it('rebuilds a damaged environment from the same lock', async () => {
  const id = await make('one');
  await rm(path.join(root, id, 'node_modules'), { recursive: true });
  expect(await folder.ready('one')).toBeNull();
  expect(await folder.declared('one')).toMatchObject({ environment: id, lock: 'a==1' });
  expect(await make('one')).toBe(id);
  expect(await folder.ready('one')).not.toBeNull();
});

it('removes environments that were not used for a week', async () => {
  const [kept, old] = [await make('one'), await make('two', { ...FACTS, lock: 'b==1' })];
  const past = new Date(Date.now() - 8 * DAY);
  for (const id of [kept, old]) await utimes(path.join(root, id, 'environment.json'), past, past);
  const fresh = await make('three', { ...FACTS, lock: 'c==1' });
  expect(await folder.sweep(new Set([kept]), 7 * DAY)).toBe(1);
  expect((await readdir(root)).toSorted()).toEqual(['declared', kept, fresh].toSorted());
  expect(await folder.declared('two')).not.toBeNull();
  await folder.sweep(new Set([kept]), 7 * DAY, Date.now() + 100 * DAY);
  expect(await folder.declared('two')).toBeNull();
});

it('lets one host at a time install a declaration, and removes leftover folders of dead hosts', async () => {
  const mine = await folder.begin('one');
  await writeFile(path.join(root, '.making-one', 'half'), '');
  for (const left of ['.making-two', '.removed-two']) await mkdir(path.join(root, left));
  const other = await openEnvironmentFolder(root);
  expect((await readdir(root)).filter((name) => name.startsWith('.'))).toEqual(['.making-one']);
  expect(await other.begin('one')).toBeNull();
  await mine?.end();
  const theirs = await other.begin('one');
  expect(await readdir(theirs?.folder ?? '')).toEqual([]);
  expect(await folder.begin('one')).toBeNull();
  await theirs?.end();
  expect((await readdir(root)).toSorted()).toEqual(['declared']);
});

it('does not remove an environment that was used recently', async () => {
  const id = await make('one');
  const past = new Date(Date.now() - 8 * DAY);
  await utimes(path.join(root, id, 'environment.json'), past, past);
  await folder.ready('one');
  expect(await folder.sweep(new Set(), 7 * DAY)).toBe(0);
});
