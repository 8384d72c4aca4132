import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changedPart } from './changed-part.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '🚀'), maxLength: 12 });

it('makes the one text of the other, and touches nothing before and after what differs', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const change = changedPart(before, after);
      if (change === null) expect(before).toBe(after);
      else expect(before.slice(0, change.from) + change.insert + before.slice(change.to)).toBe(after);
    }),
  );
  expect(changedPart('{"a": 1, "b": 2}', '{"a": 15, "b": 2}')).toEqual({ from: 7, to: 7, insert: '5' });
});
