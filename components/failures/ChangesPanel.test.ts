import { expect, test } from 'vitest';
import { numberLines } from './ChangesPanel.tsx';

test('numbers the lines before and after', () => {
  const lines = [
    { kind: 'same', text: 'a' },
    { kind: 'removed', text: 'b' },
    { kind: 'added', text: 'c' },
    { kind: 'added', text: 'd' },
    { kind: 'same', text: 'e' },
  ] as const;
  const numbered = numberLines({ old_start: 4, new_start: 6, guilty: false, lines: [...lines] });
  expect(numbered.map((line) => [line.before, line.after])).toEqual([
    [4, 6],
    [5, null],
    [null, 7],
    [null, 8],
    [6, 9],
  ]);
  expect(new Set(numbered.map((line) => line.key)).size).toBe(5);
});
