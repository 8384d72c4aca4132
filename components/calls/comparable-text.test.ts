import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparableText } from './comparable-text.ts';

describe('a value written to be compared', () => {
  it('has its members in the order of their names, and no commas that come and go', () => {
    expect(comparableText({ b: [1, {}], a: null })).toBe('{\n  "a": null\n  "b": [\n    1\n    {}\n  ]\n}');
    expect(comparableText({ y: { d: 1, c: 2 }, x: 1 })).toBe(comparableText({ x: 1, y: { c: 2, d: 1 } }));
  });

  it('shows the JSON in a text as lines, as MCP servers answer, and says that it is in a text', () => {
    const answer = { content: [{ type: 'text', text: '{"days":2,"city":"Oslo"}' }] };
    expect(comparableText(answer)).toContain('"text": JSON in a text: {\n        "city": "Oslo"\n        "days": 2\n      }');
    expect(comparableText('{"a":1}')).not.toBe(comparableText({ a: 1 }));
  });

  it('leaves numbers in a text alone that would be rounded', () => {
    expect(comparableText(['[12345678901234567890]'])).not.toBe(comparableText(['[12345678901234567891]']));
  });

  it('shows text of several lines line by line', () => {
    expect(comparableText('one\ntwo')).toBe('one\ntwo');
    expect(comparableText({ note: 'one\ntwo' })).toBe('{\n  "note": text of 2 lines:\n    | one\n    | two\n}');
  });

  it('is the same for the same value alone', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.jsonValue({ noUnicodeString: false }), (one, other) => {
        const [a, b] = [one, other].map((value): unknown => JSON.parse(JSON.stringify(value)));
        expect(comparableText({ a }) === comparableText({ a: b })).toBe(sorted(a) === sorted(b));
      }),
    );
  });
});

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
