import { expect, it } from 'vitest';
import { readRuns, withRun } from './ToolCalls.tsx';

it('keeps the newest 12 calls, without duplicates', () => {
  let runs: readonly string[] = [];
  for (let at = 0; at < 20; at += 1) runs = withRun(withRun(runs, `c${at}`), `c${at}`);
  expect(runs).toHaveLength(12);
  expect(runs[0]).toBe('c19');
  expect(readRuns(JSON.stringify(runs))).toEqual(runs);
});

it.each([null, '', 'not JSON', '{}', '[1]', `["${'x'.repeat(200)}"]`])('reads %j as no calls', (text) => {
  expect(readRuns(text)).toEqual([]);
});
