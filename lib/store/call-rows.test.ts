import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { splitEnd, splitRunning } from './call-rows.ts';
import { callEnd, makeOldDatabase, runningCall } from './store-contract-samples.ts';
import { openStore } from './open-store.ts';

const LARGE = JSON.stringify('x'.repeat(100_000));

function inJournal(isEnd: boolean, entry: unknown): string {
  return `insert into call_journal (is_end, entry_json) values (${isEnd ? 1 : 0}, '${JSON.stringify(entry).replaceAll("'", "''")}')`;
}

it('imports the calls that an older version had not stored', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-old-calls-'));
  const file = path.join(folder, 'switchboard.db');
  const [small, large, running] = [runningCall({ revision: 1 }), runningCall(), runningCall()];
  makeOldDatabase(file, '0018_call_records', [
    ...[small, large, running].map((call, at) => inJournal(false, { row: { ...splitRunning(call).row, seq: at + 1 }, payload: null })),
    inJournal(true, splitEnd(large.id, callEnd({ resultText: LARGE }))),
    inJournal(true, splitEnd(small.id, callEnd({ revision: 2, resultText: '{"degrees":-3}' }))),
  ]);
  const opened = await openStore({ file });
  if (!opened.ok) throw new Error(opened.reason);
  const { calls } = opened.store;
  expect(await calls.get(small.id)).toMatchObject({ status: 'succeeded', revision: 2, result: { degrees: -3 }, duration_ms: 12.345 });
  expect(await calls.get(large.id)).toMatchObject({ status: 'succeeded', result: JSON.parse(LARGE) });
  expect(await calls.get(running.id)).toMatchObject({ status: 'running', result: null, logs: [] });
  expect((await calls.list({ limit: 10 }))?.calls.map(({ id }) => id)).toEqual([running.id, large.id, small.id]);
  expect(await calls.closeInterrupted()).toBe(1);
  await opened.store.close();
  rmSync(folder, { recursive: true });
});
