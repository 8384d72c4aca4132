import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWatcher } from './watcher.ts';
import type { Watcher } from './watcher.ts';

let folder: string;
let watcher: Watcher | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watcher-'));
});

afterEach(async () => {
  await watcher?.close();
  await rm(folder, { recursive: true });
});

it('takes away what a killed server left of its self-test, and nothing that another may need', async () => {
  const longAgo = new Date(Date.now() - 3_600_000);
  await writeFile(join(folder, '.switchboard-probe-1'), '');
  await utimes(join(folder, '.switchboard-probe-1'), longAgo, longAgo);
  await writeFile(join(folder, '.switchboard-probe-2'), '');
  watcher = createWatcher({ folder, mode: 'native', onChange: () => undefined, onState: () => undefined });
  await watcher.settled;
  expect(watcher.state()).toEqual({ mode: 'native', reason: null });
  expect(await readdir(folder)).toEqual(['.switchboard-probe-2']);
});
