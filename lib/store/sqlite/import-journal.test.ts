import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeOldDatabase } from '../store-contract-samples.ts';
import { openStore } from '../open-store.ts';
import { journalFilesOf } from './import-journal.ts';
import type { Store } from '../store.ts';

const STEP = '0023_calls_without_journal';
const KEY = 4_711;

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-journal-'));
  file = path.join(folder, 'switchboard.db');
});

afterEach(() => rmSync(folder, { recursive: true }));

/** A database of the previous version, which had stored all records below this number. */
function makeBefore(filed: number, rows: readonly string[] = []): void {
  makeOldDatabase(file, STEP, [
    `update counters set value = ${KEY} where name = 'call_records_key'`,
    `update counters set value = ${filed} where name = 'call_records_filed'`,
    ...rows,
  ]);
}

/** Records in the format of that version, the first with this number, followed by zeros. */
function journalOf(first: number, texts: readonly string[], key = KEY): Buffer {
  let check = key;
  const records = texts.map((text, at) => {
    const content = Buffer.from(text);
    const head = Buffer.alloc(16);
    head.writeUInt32LE(content.length, 0);
    head.writeDoubleLE(first + at, 8);
    check = crc32(Buffer.concat([head.subarray(8), content]), check);
    head.writeUInt32LE(check, 4);
    return Buffer.concat([head, content]);
  });
  return Buffer.concat([...records, Buffer.alloc(4_096)]);
}

const begun = (seq: number, id: string, more: object = {}): string =>
  `b${JSON.stringify({
    seq,
    id,
    tool: 'get_weather',
    extension: 'weather',
    revision: 3,
    snapshot_version: 7,
    source: 'api',
    actor: 'Ada',
    started_at: 1_772_366_400_000 + seq,
    replay_of: null,
    redacted_json: null,
    arguments_json: '{"city":"Berlin"}',
    arguments_cut: 0,
    ...more,
  })}`;

const ended = (id: string, result = '{"degrees":12}', payload: object | null = null): string =>
  `e${JSON.stringify({
    row: {
      id,
      revision: 4,
      status: 'succeeded',
      finished_at: 1_772_366_401_000,
      duration_us: 12_345,
      progress_json: null,
      logs_truncated: 0,
      result_json: result,
      result_cut: payload === null ? 0 : 1,
      error_json: null,
      error_cut: 0,
      logs_json: null,
      logs_cut: 0,
    },
    payload,
  })}`;

async function open(): Promise<Store> {
  const opened = await openStore({ file });
  if (!opened.ok) throw new Error(opened.reason);
  return opened.store;
}

const filesLeft = (): boolean[] => journalFilesOf(file).map((each) => existsSync(each));

describe('the journal of the previous version', () => {
  it('is imported completely: calls that ended, that run, and that were stored while running, from both files', async () => {
    const row = "'filed', 'get_weather', 'weather', 7, 'api', 'running', 1, '{}'";
    makeBefore(5, [
      `insert into calls (id, tool, extension, snapshot_version, source, status, started_at, arguments_json) values (${row})`,
    ]);
    const [one, other] = journalFilesOf(file);
    writeFileSync(one, journalOf(3, [begun(2, 'earlier'), ended('earlier'), begun(2, 'small'), ended('small'), begun(3, 'runs')]));
    const large = JSON.stringify('x'.repeat(10_000));
    writeFileSync(
      other,
      journalOf(8, [
        ended('filed'),
        begun(4, 'large'),
        ended('large', '"xxx', { id: 'large', result_json: large, error_json: null, logs_json: null }),
      ]),
    );
    const store = await open();
    const { calls } = (await store.calls.list({ limit: 10 })) ?? { calls: [] };
    expect(calls.map(({ id, status }) => [id, status])).toEqual([
      ['large', 'succeeded'],
      ['runs', 'running'],
      ['small', 'succeeded'],
      ['filed', 'succeeded'],
    ]);
    expect(await store.calls.get('small')).toMatchObject({
      revision: 4,
      result: { degrees: 12 },
      duration_ms: 12.345,
      arguments: { city: 'Berlin' },
    });
    expect((await store.calls.get('large'))?.result).toBe('x'.repeat(10_000));
    expect((await store.calls.list({ limit: 10, q: 'berlin' }))?.calls).toHaveLength(3);
    expect(await store.calls.closeInterrupted()).toBe(1);
    expect(filesLeft()).toEqual([false, false]);
    await store.close();
  });

  it('ends at an incomplete record, and has no records of another database', async () => {
    makeBefore(0);
    const [one, other] = journalFilesOf(file);
    const complete = journalOf(1, [begun(1, 'first')]).subarray(0, -4_096);
    writeFileSync(one, Buffer.concat([complete, Buffer.from('torn off in the middle of a record')]));
    writeFileSync(other, journalOf(2, [begun(2, 'foreign')], KEY + 1));
    const store = await open();
    expect((await store.calls.list({ limit: 10 }))?.calls.map(({ id }) => id)).toEqual(['first']);
    await store.close();
  });

  it('skips columns that the table lacks, and invalid rows, without stopping the start', async () => {
    makeBefore(0);
    const [one] = journalFilesOf(file);
    const lacking = 'b{"id":"lacking","started_at":1}';
    writeFileSync(one, journalOf(1, [begun(1, 'newer', { colour: 'red' }), lacking, ended('unknown'), ended('newer')]));
    const store = await open();
    expect((await store.calls.list({ limit: 10 }))?.calls.map(({ id, status }) => [id, status])).toEqual([['newer', 'succeeded']]);
    await store.close();
  });

  it('is imported once: leftover files of an interrupted start are removed unread', async () => {
    makeBefore(0);
    const [one] = journalFilesOf(file);
    const journal = journalOf(1, [begun(1, 'first')]);
    writeFileSync(one, journal);
    await (await open()).close();
    writeFileSync(one, journalOf(1, [begun(1, 'first'), begun(2, 'again')]));
    const store = await open();
    expect((await store.calls.list({ limit: 10 }))?.calls.map(({ id }) => id)).toEqual(['first']);
    expect(filesLeft()).toEqual([false, false]);
    await store.close();
  });
});
