import { expect, it } from 'vitest';
import type { LogEntry } from '#lib/client/extension-queries.ts';
import { countLevels, filterLog, logAsText } from './ExtensionLogs.tsx';

const entries: readonly LogEntry[] = [
  { kind: 'line', number: 1, line: { time: 'T1', level: 'warn', stream: 'stderr', message: 'Slow answer of the forecast', call_id: null } },
  { kind: 'revision', number: 2, revision: 4 },
  { kind: 'dropped', number: 3, count: 12 },
  { kind: 'line', number: 4, line: { time: 'T2', level: 'info', stream: 'log', message: 'Asked for Oslo', call_id: null } },
];
const numbers = (found: readonly LogEntry[]) => found.map(({ number }) => number);

it('filters lines by level and by words in any order and case', () => {
  expect(numbers(filterLog(entries, null, ' '))).toEqual([1, 2, 3, 4]);
  expect(numbers(filterLog(entries, 'warn', ''))).toEqual([1, 2, 3]);
  expect(numbers(filterLog(entries, null, 'forecast SLOW'))).toEqual([1]);
  expect(numbers(filterLog(entries, 'info', 'slow'))).toEqual([]);
});

it('counts lines per level, and exports all lines as text', () => {
  expect([...countLevels(entries)]).toEqual([
    ['warn', 1],
    ['info', 1],
  ]);
  expect(logAsText(entries)).toBe(
    'T1 warn Slow answer of the forecast\n--- revision 4 ---\n--- 12 lines dropped ---\nT2 info Asked for Oslo',
  );
});
