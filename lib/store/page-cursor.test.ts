import { expect, test } from 'vitest';
import { decodeTimeCursor, encodeTimeCursor } from './page-cursor.ts';

test.each([
  [8_640_000_000_000_000, true],
  [8_640_000_000_000_001, false],
  [9_000_000_000_000_000, false],
])('a cursor with the time %d is valid: %s', (time, isValid) => {
  const cursor = encodeTimeCursor('failures', time, 'abc');
  expect(decodeTimeCursor('failures', cursor)).toEqual(isValid ? { time, id: 'abc' } : null);
});
