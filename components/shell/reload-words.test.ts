import { expect, it } from 'vitest';
import type { Failure } from '#lib/contract/failure.ts';
import type { ReloadReport } from '#lib/contract/extension.ts';
import { readReport, reportInWords } from './reload-words.ts';
import { failureRecord } from '#lib/testing/api-records.ts';

function failure(extension: string): Failure {
  return failureRecord({
    id: extension,
    extension,
    error: 'broken',
    message: 'broken',
    last_seen: '2026-11-21T11:00:00Z',
  });
}

const report: ReloadReport = {
  version: 43,
  loaded_extensions: ['math'],
  failed_extensions: [failure('shell'), failure('weather')],
  tools: [],
  channels: [],
  changed: ['math', 'weather'],
  duration_ms: 12,
};

it('counts one that changed and failed as failed only', () => {
  expect(reportInWords(report)).toBe('v43: 1 changed, 2 failed');
});

it('reports an unchanged set', () => {
  expect(reportInWords({ ...report, changed: [], failed_extensions: [] })).toBe('v43: nothing changed');
});

it('speaks of the named extensions only when some were named', () => {
  const narrowed = readReport(report, ['weather']);
  expect(narrowed === null ? null : reportInWords(narrowed)).toBe('v43: 1 failed');
  expect(readReport(report, null)?.failed_extensions).toHaveLength(2);
});

it('has no report before there is an answer', () => {
  expect(readReport(undefined, null)).toBeNull();
});
