import { expect, it } from 'vitest';
import type { WatchSelfTest } from '#lib/contract/extension.ts';
import { selfTestInWords } from './self-test-words.ts';

const NOW = Date.parse('2026-11-22T12:03:00Z');

function words(test: Partial<WatchSelfTest>): string {
  const nothing: WatchSelfTest = { result: 'running', reason: null, at: null, duration_ms: null };
  return selfTestInWords({ mode: 'native', reason: null, self_test: { ...nothing, ...test } }, NOW);
}

it('says whether the probe file was seen, how soon and when', () => {
  const at = '2026-11-22T12:00:00Z';
  expect(words({ result: 'seen', at, duration_ms: 12 })).toBe('Tested: a probe file was seen after 12.0 ms, 3 min ago.');
  expect(words({ result: 'not_seen', at, duration_ms: 2_000, reason: 'the file was not noticed within 2 s' })).toBe(
    'Tested: the file was not noticed within 2 s, 3 min ago.',
  );
});

it('says that it is being tested, and why it was not', () => {
  expect(words({})).toBe('Testing with a probe file…');
  expect(words({ result: 'not_run', reason: 'no file can be written into the folder' })).toBe(
    'Not tested: no file can be written into the folder.',
  );
});
