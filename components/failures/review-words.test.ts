import { describe, expect, it } from 'vitest';
import type { GroupActivity } from '#lib/contract/failure-group.ts';
import { activityInWords, countInWords, ignoringInWords, regressionInWords } from './review-words.ts';

const entry = (change: Partial<GroupActivity>): GroupActivity => ({
  id: 'a1',
  created_at: '2026-03-01T12:00:00.000Z',
  actor: 'Ada',
  automatic: false,
  kind: 'status_changed',
  from: null,
  to: null,
  reason: null,
  ignore_until: null,
  revision: null,
  fixed_in: null,
  snapshot_version: null,
  ...change,
});

describe('a regression', () => {
  const fixed = { revision: 9, snapshot_version: 12 };
  it('names the revision with the fix and the one with the regression', () => {
    expect(regressionInWords({ regression: true, resolved_by: fixed, regressed_by: { revision: 11, snapshot_version: 14 } })).toBe(
      'fixed in revision 9, failed again in revision 11',
    );
    expect(
      regressionInWords({
        regression: true,
        resolved_by: { revision: null, snapshot_version: 12 },
        regressed_by: { revision: null, snapshot_version: 14 },
      }),
    ).toBe('fixed by removing the extension, failed again');
    expect(regressionInWords({ regression: false, resolved_by: fixed, regressed_by: null })).toBeNull();
  });
});

describe('the activity', () => {
  it.each([
    [entry({ kind: 'opened', automatic: true, actor: null, revision: 4 }), 'First seen in revision 4'],
    [entry({ kind: 'opened', automatic: true, actor: null }), 'First seen'],
    [entry({ kind: 'resolved', revision: 9 }), 'Resolved: revision 9 loaded'],
    [entry({ kind: 'resolved' }), 'Resolved: the extension was removed'],
    [entry({ kind: 'regressed', fixed_in: 9, revision: 11 }), 'Fixed in revision 9, failed again in revision 11'],
    [entry({ kind: 'changed', revision: 5 }), 'Reopened: revision 5 still fails'],
    [entry({ kind: 'ignore_ended' }), 'Reopened: the ignore period ended'],
    [entry({ from: 'open', to: 'acknowledged' }), 'Ada acknowledged it'],
    [
      entry({ from: 'open', to: 'ignored', ignore_until: 'changed', reason: 'later' }),
      'Ada ignored it until the extension changes and still fails: later',
    ],
    [entry({ actor: null, from: 'ignored', to: 'open' }), 'Reopened'],
    [entry({ actor: null, from: 'open', to: 'ignored', reason: 'a known limit' }), 'Ignored permanently: a known limit'],
    [entry({ from: 'open', to: 'open', reason: 'on it' }), 'Ada changed the reason: on it'],
    [entry({ kind: 'assigned', to: 'Ada' }), 'Ada assigned themselves'],
    [entry({ kind: 'assigned', from: 'Ada', to: 'Ben' }), 'Ada assigned Ben'],
    [entry({ kind: 'assigned', from: 'Ben', to: null }), 'Ada unassigned Ben'],
    [entry({ kind: 'mentioned', names: ['Ben'] }), 'Ada mentioned Ben'],
    [entry({ kind: 'mentioned', names: ['Ben', 'Cy', 'Di'] }), 'Ada mentioned Ben, Cy and Di'],
    [entry({ kind: 'merged' }), 'Ada merged another group into this one'],
  ])('describes who did what: %#', (given, words) => {
    expect(activityInWords(given)).toBe(words);
  });
});

it('describes how long a failure is ignored, and its number of occurrences', () => {
  expect(ignoringInWords(null)).toBe('permanently');
  expect(ignoringInWords('2026-11-23T08:00:00.000Z')).toBe('until 2026-11-23 08:00 UTC');
  expect([1, 2, 1_234].map(countInWords)).toEqual(['seen once', 'seen 2 times', 'seen 1,234 times']);
});
