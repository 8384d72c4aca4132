import { randomUUIDv7 } from 'node:crypto';
import type { CallEnd, FailureOccurrence, RevisionRow, RunningCallRow, Store } from './store.ts';

/** Rows for tests of the store. */

export const START = Date.parse('2026-03-01T12:00:00.000Z');

export function runningCall(change: Partial<RunningCallRow> = {}): RunningCallRow {
  return {
    id: randomUUIDv7(),
    tool: 'get_weather',
    extension: 'weather',
    revision: 2,
    snapshotVersion: 7,
    source: 'api',
    actor: null,
    argumentsText: '{"city":"Berlin"}',
    redacted: [],
    startedAt: new Date(START).toISOString(),
    replayOf: null,
    ...change,
  };
}

export function callEnd(change: Partial<CallEnd> = {}): CallEnd {
  return {
    revision: 2,
    status: 'succeeded',
    resultText: '{"degrees":12}',
    error: null,
    logs: [],
    logsTruncated: false,
    progress: null,
    finishedAt: new Date(START + 20).toISOString(),
    durationMs: 12.345,
    ...change,
  };
}

export async function finishedCall(store: Store, change: Partial<RunningCallRow> = {}, end: Partial<CallEnd> = {}): Promise<string> {
  const row = runningCall(change);
  await store.calls.insertRunning(row);
  await store.calls.finish(row.id, callEnd(end));
  return row.id;
}

export function occurrence(change: Partial<FailureOccurrence> = {}): FailureOccurrence {
  return {
    extension: 'weather',
    revision: 1,
    error: 'weather: Unexpected "}"',
    stage: 'build',
    code: 'syntax_error',
    message: 'Unexpected "}"',
    hint: 'Fix the syntax.',
    file: 'weather/extension.ts',
    line: 3,
    column: 1,
    codeFrame: '> 3 | }',
    stack: null,
    output: 'a\u0000b',
    fingerprint: 'f1',
    basis: { extension: 'weather', stage: 'build', code: 'syntax_error', frame: 'weather/extension.ts', message: 'Unexpected "}"' },
    cause: 'c1',
    goodRevision: null,
    failedChecks: [],
    environment: null,
    snapshotVersion: 4,
    seenAt: '2026-03-01T12:00:00.000Z',
    ...change,
  };
}

export function revision(change: Partial<Omit<RevisionRow, 'revision'>> = {}): Omit<RevisionRow, 'revision'> {
  return {
    extension: 'weather',
    contentHash: randomUUIDv7(),
    createdAt: '2026-03-01T12:00:00.000Z',
    trigger: 'watch',
    actor: null,
    outcome: 'loaded',
    description: '{"name":"weather"}',
    build: '{"inputs":[]}',
    sources: { 'weather/extension.ts': 'export const TOOL = {};' },
    runnable: true,
    failureId: null,
    ...change,
  };
}
