import { expect, it } from 'vitest';
import type { ExtensionLogPage } from '#lib/contract/extension-reports.ts';
import { LOG_LINES_KEPT, addToTail } from './extension-queries.ts';

function page(messages: readonly string[], more: Partial<ExtensionLogPage> = {}): ExtensionLogPage {
  const line = (message: string) => ({ time: '2026-11-22T12:00:00Z', level: 'info', stream: 'log', message, call_id: null }) as const;
  return { revision: 1, lines: messages.map(line), cursor: 'a.1', restarted: false, dropped: 0, ...more };
}

it('appends new lines, and returns the same object without any', () => {
  const first = addToTail(undefined, page(['one']));
  expect(addToTail(first, page([]))).toBe(first);
  const next = addToTail(first, page(['two'], { cursor: 'a.2' }));
  expect(next.cursor).toBe('a.2');
  expect(next.entries.map((entry) => [entry.number, entry.kind === 'line' ? entry.line.message : entry.kind])).toEqual([
    [1, 'one'],
    [2, 'two'],
  ]);
});

it('marks where another revision started and where lines are missing', () => {
  const first = addToTail(undefined, page(['one']));
  const next = addToTail(first, page(['two'], { restarted: true, revision: 2, dropped: 7, cursor: 'b.8' }));
  expect(next.entries.slice(1, 3)).toEqual([
    { kind: 'revision', number: 2, revision: 2 },
    { kind: 'dropped', number: 3, count: 7 },
  ]);
});

it('keeps the newest lines, and continues numbering', () => {
  const first = addToTail(undefined, page(Array.from({ length: LOG_LINES_KEPT }, (_, at) => `line ${at}`)));
  const next = addToTail(first, page(['last'], { cursor: 'a.2' }));
  expect(next.entries).toHaveLength(LOG_LINES_KEPT);
  expect(next.entries.at(-1)?.number).toBe(LOG_LINES_KEPT + 1);
});
