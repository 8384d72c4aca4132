import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { splitEnd, splitRunning } from './call-rows.ts';
import { MIGRATIONS } from './migrations.ts';
import { openStore } from './open-store.ts';
import { createQueryBuilder } from './query-builder.ts';
import { callEnd, runningCall } from './store-contract-samples.ts';

const LARGE = JSON.stringify('x'.repeat(100_000));

/** A database of the version that wrote calls into a table first, with calls in that. */
function makeOldDatabase(file: string, entries: readonly { readonly isEnd: boolean; readonly entry: unknown }[]): void {
  const db = new DatabaseSync(file);
  const builder = createQueryBuilder();
  const old = MIGRATIONS.slice(
    0,
    MIGRATIONS.findIndex(({ name }) => name === '0018_call_records'),
  );
  db.exec('pragma journal_mode = wal');
  db.exec('create table switchboard_migrations (name text not null primary key, applied_at text not null) strict');
  for (const { name, statements } of old) {
    for (const statement of statements(builder)) {
      const { sql, parameters } = statement.compile();
      db.prepare(sql).run(...parameters.map((value) => (typeof value === 'number' ? value : String(value))));
    }
    db.prepare('insert into switchboard_migrations values (?, ?)').run(name, '2026-01-01T00:00:00.000Z');
  }
  db.exec(`pragma user_version = ${old.length}`);
  const insert = db.prepare('insert into call_journal (is_end, entry_json) values (?, ?)');
  for (const { isEnd, entry } of entries) insert.run(isEnd ? 1 : 0, JSON.stringify(entry));
  db.close();
}

it('takes over the calls that an older version had not filed', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-old-calls-'));
  const file = path.join(folder, 'switchboard.db');
  const [small, large, running] = [runningCall({ revision: 1 }), runningCall(), runningCall()];
  const begun = [small, large, running].map((call, at) => ({
    isEnd: false,
    entry: { row: { ...splitRunning(call).row, seq: at + 1 }, payload: null },
  }));
  makeOldDatabase(file, [
    ...begun,
    { isEnd: true, entry: splitEnd(large.id, callEnd({ resultText: LARGE })) },
    { isEnd: true, entry: splitEnd(small.id, callEnd({ revision: 2, resultText: '{"degrees":-3}' })) },
  ]);
  const opened = openStore({ file });
  if (!opened.ok) throw new Error(opened.reason);
  const { calls } = opened.store;
  expect(calls.get(small.id)).toMatchObject({ status: 'succeeded', revision: 2, result: { degrees: -3 }, duration_ms: 12.345 });
  expect(calls.get(large.id)).toMatchObject({ status: 'succeeded', result: JSON.parse(LARGE) });
  expect(calls.get(running.id)).toMatchObject({ status: 'running', result: null, logs: [] });
  expect(calls.list({ limit: 10 })?.calls.map(({ id }) => id)).toEqual([running.id, large.id, small.id]);
  expect(calls.closeInterrupted()).toBe(1);
  await opened.store.close();
  rmSync(folder, { recursive: true });
});
