import { describe, expect, it } from 'vitest';
import { callSchema } from '#lib/contract/call.ts';
import type { CallEnd, RunningCallRow } from '#lib/store/store.ts';
import { callJson } from './call-service.ts';

const row: RunningCallRow = {
  id: '0198c7a0-0000-7000-8000-000000000000',
  tool: 'get_weather',
  extension: 'weather',
  revision: 3,
  snapshotVersion: 7,
  source: 'web',
  actor: 'Ada "the first"',
  argumentsText: '{"city":"Zürich"}',
  redacted: ['/token'],
  startedAt: '2026-01-02T03:04:05.678Z',
  replayOf: null,
  instance: 'one',
};
const end: CallEnd = {
  status: 'succeeded',
  revision: 4,
  resultText: '{"sunny":true}',
  error: null,
  logs: [{ time: '2026-01-02T03:04:05.700Z', level: 'info', message: 'line\n“two”', data: null }],
  logsTruncated: false,
  progress: { done: 1, total: 2, message: null },
  finishedAt: '2026-01-02T03:04:05.900Z',
  durationMs: 12.345,
};

describe('the JSON text of a call', () => {
  it('is a Call while it runs and after its end', () => {
    expect(callSchema.strict().parse(JSON.parse(callJson(row, null)))).toMatchObject({
      status: 'running',
      revision: 3,
      result: null,
      actor: 'Ada "the first"',
    });
    expect(callSchema.strict().parse(JSON.parse(callJson(row, end)))).toMatchObject({
      status: 'succeeded',
      revision: 4,
      result: { sunny: true },
      logs: end.logs,
      redacted: ['/token'],
      duration_ms: 12.345,
    });
  });

  it('carries the error of a call that failed', () => {
    const failed: CallEnd = {
      ...end,
      status: 'failed',
      resultText: null,
      error: { kind: 'invalid_parameters', message: 'x', issues: [{ path: '/city', keyword: 'required', message: 'is required' }] },
    };
    expect(callSchema.parse(JSON.parse(callJson(row, failed)))).toMatchObject({ result: null, error: failed.error });
  });
});
