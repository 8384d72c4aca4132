import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Compilable } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CallFilter } from '#lib/contract/call.ts';
import type { Lead } from './call-conditions.ts';
import { callPageQuery, firstCallPageQuery, foundCallPageQuery } from './call-queries.ts';
import { createQueryBuilder, openDatabaseFile } from './sqlite/database-file.ts';
import { SQLITE } from './dialect.ts';
import { lastHourQuery } from './call-statistics.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-plans-'));
const builder = createQueryBuilder();
let db: DatabaseSync;

beforeAll(() => {
  const opened = openDatabaseFile({ file: path.join(folder, 'switchboard.db'), lockedMs: 0, durability: 'process' });
  if (!opened.ok) throw new Error(opened.reason);
  db = opened.db;
});

afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

function plan(asked: Compilable): string[] {
  const query = asked.compile();
  const parameters = query.parameters.map((value) => (typeof value === 'number' ? value : String(value)));
  return db
    .prepare(`explain query plan ${query.sql}`)
    .all(...parameters)
    .map((row) => String(row['detail']));
}

const POSITION = { startedAt: 1_772_366_400_000, seq: 12 };
const TIME = '2026-03-01T12:00:00.000Z';

const SINGLE_FILTERS: [string, Partial<CallFilter>, Lead, string][] = [
  ['nothing', {}, 'start', 'calls_by_start'],
  ['tool', { tool: 'a' }, 'tool', 'calls_by_tool'],
  ['extension', { extension: 'a' }, 'extension', 'calls_by_extension'],
  ['status', { status: ['failed'] }, 'status', 'calls_by_status'],
  ['source', { source: 'web' }, 'source', 'calls_by_source'],
  ['actor', { actor: 'Ada' }, 'actor', 'calls_by_actor'],
  ['kind of error', { error_kind: 'timeout' }, 'error_kind', 'calls_by_error_kind'],
  ['since', { since: TIME }, 'start', 'calls_by_start'],
  ['until', { until: TIME }, 'start', 'calls_by_start'],
  ['duration', { min_ms: 1_000 }, 'start', 'calls_by_start'],
  ['tool and status, the tool leading', { tool: 'a', status: ['failed'] }, 'tool', 'calls_by_tool'],
  ['tool and status, the status leading', { tool: 'a', status: ['failed'] }, 'status', 'calls_by_status'],
  ['tool and status of calls without success', { tool: 'a', status: ['timed_out'] }, 'unsuccessful_by_tool', 'calls_unsuccessful_by_tool'],
  [
    'extension and several statuses of calls without success',
    { extension: 'a', status: ['failed', 'cancelled'] },
    'unsuccessful_by_extension',
    'calls_unsuccessful_by_extension',
  ],
  ['several statuses', { status: ['failed', 'timed_out'] }, 'start', 'calls_by_start'],
  ['instance', { instance: 'one' }, 'instance', 'calls_by_instance'],
  ['what is repeated', { replay_of: 'a' }, 'replay_of', 'calls_by_replay_of'],
  ['everything, the start leading', { tool: 'a', source: 'mcp', error_kind: 'timeout', min_ms: 1 }, 'start', 'calls_by_start'],
];

it.each(SINGLE_FILTERS)('pages of calls filtered by %s follow an index in display order', (_, filter, lead, index) => {
  const first = plan(callPageQuery(builder, SQLITE, { limit: 50, ...filter }, lead, null));
  expect(first).toHaveLength(1);
  expect(first[0]).toContain(`USING INDEX ${index}`);
  const next = plan(callPageQuery(builder, SQLITE, { limit: 50, ...filter }, lead, POSITION));
  expect(next).toHaveLength(1);
  expect(next[0]).toMatch(new RegExp(`^SEARCH calls USING INDEX ${index} \\(.*started_at.*\\)$`));
});

it('a filter combined with times uses the same index', () => {
  expect(plan(callPageQuery(builder, SQLITE, { limit: 50, tool: 'a', since: TIME, until: TIME }, 'tool', null))).toEqual([
    'SEARCH calls USING INDEX calls_by_tool (tool=? AND started_at>? AND started_at<?)',
  ]);
});

it('two frequent values are intersected in their indexes', () => {
  const filter: CallFilter = { limit: 50, tool: 'a', status: ['failed'], until: TIME };
  expect(plan(callPageQuery(builder, SQLITE, filter, 'tool', null, ['status'])).slice(0, 3)).toEqual([
    'SEARCH calls USING INDEX calls_by_tool (tool=? AND started_at<?)',
    expect.stringMatching(/^LIST SUBQUERY/),
    'SEARCH calls USING COVERING INDEX calls_by_status (status=? AND started_at<?)',
  ]);
  const first = plan(firstCallPageQuery(builder, SQLITE, filter, 'tool', POSITION));
  expect(first.filter((step) => /^S\w+ calls/.test(step))[0]).toMatch(/^SEARCH calls USING INDEX calls_by_tool/);
  expect(first.filter((step) => step.includes('calls_by_status'))).toEqual([]);
});

it.each<Partial<CallFilter>>([{}, { tool: 'a' }, { status: ['failed'], since: TIME }])(
  'a search queries the full-text index once and sorts nothing: %o',
  (filter) => {
    const steps = plan(foundCallPageQuery(builder, filter, '"berlin"*', { above: 7, below: 99 }, 51));
    expect(steps).toHaveLength(2);
    expect(steps[0]).toMatch(/^SCAN call_search VIRTUAL TABLE INDEX/);
    expect(steps[1]).toBe('SEARCH calls USING INTEGER PRIMARY KEY (rowid=?)');
  },
);

it('the last hours are counted with the index by start only', () => {
  const [search] = plan(lastHourQuery(builder, 0, 1_000));
  expect(search).toBe('SEARCH calls USING COVERING INDEX calls_by_start (started_at>? AND started_at<?)');
});
