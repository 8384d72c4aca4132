import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeOldDatabase } from './store-contract-samples.ts';
import { openStore } from './open-store.ts';

const extension = (id: string, pinned: number | null, newest: number, serving: number): string =>
  `insert into extensions (extension, disabled, pinned_revision, revision, serving_revision) values ('${id}', 0, ${pinned}, ${newest}, ${serving})`;
const revision = (id: string, number: number, outcome: string): string =>
  `insert into revisions (extension, revision, tried, content_hash, created_at, trigger, outcome, runnable, sources_json)
    values ('${id}', ${number}, ${number}, 'hash ${number}', '2026-02-01T12:00:00.000Z', 'watch', '${outcome}', 1, '{}')`;

test('migrates rollbacks from before they were stored', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-store-'));
  const file = path.join(folder, 'store.db');
  makeOldDatabase(file, '0021_rolled_back_from', [
    extension('back', null, 2, 1),
    revision('back', 2, 'loaded'),
    extension('failed', null, 2, 1),
    revision('failed', 2, 'failed'),
    extension('pinned', 1, 2, 1),
    revision('pinned', 2, 'loaded'),
    extension('newest', null, 2, 2),
    revision('newest', 2, 'loaded'),
  ]);
  const opened = await openStore({ file });
  if (!opened.ok) throw new Error(opened.reason);
  const { store } = opened;
  expect(Object.fromEntries((await store.extensions.all()).map((row) => [row.extension, row.rolledBackFrom]))).toEqual({
    back: 2,
    failed: null,
    pinned: null,
    newest: null,
  });
  await store.close();
  await rm(folder, { recursive: true });
});
