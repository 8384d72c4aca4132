import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeOldDatabase, snapshot } from './store-contract-samples.ts';
import { openStore } from './open-store.ts';

const row = (version: number, change: Parameters<typeof snapshot>[1]): string =>
  `insert into snapshots (version, digest, record_json) values (${version}, '[["weather",${version}]]', '${JSON.stringify(snapshot(version, change))}')`;

test('finds snapshots of an extension that are older than the index', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-store-'));
  const file = path.join(folder, 'store.db');
  const { changes } = snapshot(1);
  makeOldDatabase(file, '0025_retention', [
    row(1, {}),
    row(2, { changes: { ...changes, added: [], failed: ['math'], tools_added: ['weather'] } }),
    row(3, { changes: { ...changes, added: ['math', 'weather'], recovered: ['weather'] } }),
  ]);
  const opened = await openStore({ file });
  if (!opened.ok) throw new Error(opened.reason);
  const { store } = opened;
  const versionsOf = async (extension: string) =>
    (await store.snapshots.list({ limit: 9, extension }))?.snapshots.map(({ version }) => version);
  expect(await versionsOf('weather')).toEqual([3, 1]);
  expect(await versionsOf('math')).toEqual([3, 2]);
  await store.close();
  await rm(folder, { recursive: true });
});
