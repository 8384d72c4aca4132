import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from '../open-store.ts';
import type { Store } from '../store.ts';
import { finishedCall } from '../store-contract-samples.ts';

/** A database of the last version without PostgreSQL: calls, failures, messages and settings of a team. */
const BEFORE = path.join(import.meta.dirname, '../fixtures/before-postgresql.db.gz');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-upgrade-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function open(file: string): Promise<Store> {
  const opened = await openStore({ file });
  if (!opened.ok) throw new Error(opened.reason);
  return opened.store;
}

/** Tables and indexes with their definitions. */
function schemaOf(file: string): readonly unknown[] {
  using db = new DatabaseSync(file, { readOnly: true });
  return db.prepare(`select type, name, sql from sqlite_master where name not like 'sqlite_%' order by type, name`).all();
}

it('upgrades a database of an earlier version with all its data, to the schema of a new one', async () => {
  const file = path.join(folder, 'switchboard.db');
  writeFileSync(file, gunzipSync(readFileSync(BEFORE)));
  const store = await open(file);
  const { calls } = (await store.calls.list({ limit: 10 })) ?? { calls: [] };
  expect(calls.map(({ status, revision, instance, arguments: args }) => [status, revision, instance, args])).toEqual([
    ['succeeded', 2, null, { text: 'third words' }],
    ['failed', 1, null, { text: 7 }],
    ['succeeded', 1, null, { text: 'second words' }],
    ['succeeded', 1, null, { text: 'first words' }],
  ]);
  expect((await store.calls.list({ limit: 10, q: 'second' }))?.calls).toHaveLength(1);
  expect((await store.revisions.list('greeter')).map(({ revision, outcome }) => [revision, outcome])).toEqual([
    [2, 'loaded'],
    [1, 'loaded'],
  ]);
  expect((await store.snapshots.latest())?.record.version).toBe(2);
  expect((await store.failureGroups.list({ limit: 10 }, new Date()))?.groups).toMatchObject([
    { extension: 'broken', status: 'acknowledged', assignee: 'Otto Operator', count: 1 },
  ]);
  expect((await store.channels.list('web', { limit: 10 }))?.messages.map(({ direction, text }) => [direction, text])).toEqual([
    ['in', 'from outside'],
    ['out', 'out there'],
  ]);
  expect(await store.savedCalls.list('greet_people')).toMatchObject([{ name: 'Greeting', arguments: { text: 'saved words' } }]);
  expect(await store.accounts.memberCount()).toBe(4);
  expect((await store.audit.list({ limit: 50 }))?.entries).toHaveLength(7);
  const added = await finishedCall(store, { tool: 'greet_people', instance: 'one' });
  expect(await store.calls.get(added)).toMatchObject({ status: 'succeeded', instance: 'one' });
  await store.close();

  const fresh = path.join(folder, 'new.db');
  await (await open(fresh)).close();
  expect(schemaOf(file)).toEqual(schemaOf(fresh));
});
