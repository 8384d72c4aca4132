import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeOldDatabase, occurrence } from './store-contract-samples.ts';
import { openStore } from './open-store.ts';

const ROWS = [
  `insert into failure_groups (id, extension, fingerprint, title, stage, code, status, regression, count, first_seen, last_seen, first_version, last_version)
    values ('g1', 'weather', 'f1', 'boom', 'import', 'import_error', 'open', 0, 3, '2026-02-01T12:00:00.000Z', '2026-02-01T12:00:00.000Z', 1, 2)`,
  `insert into failures (id, group_id, extension, revision, error, stage, code, message, hint, fingerprint, snapshot_version, first_seen, last_seen, count)
    values ('o1', 'g1', 'weather', 1, 'weather: boom', 'import', 'import_error', 'boom', 'Fix it.', 'f1', 2, '2026-02-01T12:00:00.000Z', '2026-02-01T12:00:00.000Z', 3)`,
];

test('migrates the failures of a database from before failure review', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-store-'));
  const file = path.join(folder, 'store.db');
  makeOldDatabase(file, '0005_failure_review', ROWS);
  const opened = await openStore({ file });
  if (!opened.ok) throw new Error(opened.reason);
  const { store } = opened;
  const group = async () => await store.failureGroups.get('g1', new Date());
  expect(await group()).toMatchObject({
    status: 'open',
    count: 3,
    latest: { id: 'o1' },
    environment: null,
    occurrences: [],
    fingerprints: [{ fingerprint: 'f1', basis: null, merged_from: null, exact: false }],
  });
  const again = await store.commitSet(async (writes) => await writes.recordFailure(occurrence()));
  expect(again).toMatchObject({ id: 'o1', group_id: 'g1', count: 4 });
  expect(await group()).toMatchObject({ count: 4, fingerprints: [{ basis: occurrence().basis }] });
  await store.close();
  await rm(folder, { recursive: true });
});
