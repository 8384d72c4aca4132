import { describe, expect, it } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import { readJson, writeJson } from './json-text.ts';

function problemOf(text: string) {
  const reading = readJson(text);
  if (reading.ok) throw new Error('unexpectedly valid');
  return reading.problem;
}

describe('readJson', () => {
  it('agrees with JSON.parse', () => {
    for (const text of ['{}', ' [1, -0.5e3, "a\\u00e9\\n\\"", null, true, {"a": {"b": []}}] ', '"x"', '0', '{"":1}']) {
      const reading = readJson(text);
      expect(reading).toEqual({ ok: true, value: JSON.parse(text) });
    }
  });

  it('reports the position of a trailing comma', () => {
    expect(problemOf('{\n  "a": 1,\n}')).toMatchObject({ message: 'Remove the comma before "}".', line: 2, column: 9 });
    expect(problemOf('[1,]')).toMatchObject({ message: 'Remove the comma before "]".', column: 3 });
  });

  it.each([
    ['', 'ends too early'],
    ['{"a": 1 "b": 2}', 'A "," is missing'],
    ['{"a" 1}', 'A ":" is missing after "a"'],
    ['{a: 1}', 'A name in double quotes'],
    ["{'a': 1}", 'double quotes'],
    ['{"a": Berlin}', 'Put Berlin in double quotes'],
    ['{"a": True}', 'true in lower case'],
    ['{"a": None}', 'has no None'],
    ['{"a": 01}', 'not a JSON number'],
    ['{"a": "x}', 'never closed'],
    ['{"a": "x\ny"}', 'line break'],
    ['{"a": "C:\\dir"}', 'After a "\\"'],
    ['{"a": 1', 'The "{" of line 1 is never closed'],
    ['{} x', 'ends before this'],
    ['{"a": 1, // why\n "b": 2}', 'no comments'],
  ])('says how to fix %s', (text, words) => {
    expect(problemOf(text).message).toContain(words);
  });

  it('rejects values that would change in transit', () => {
    expect(problemOf('{"a": 1, "a": 2}').message).toBe('"a" appears twice. Remove one of them.');
    expect(problemOf('{"__proto__": {}}').message).toContain('refused');
    expect(problemOf(`${'['.repeat(70)}${']'.repeat(70)}`).message).toContain('nested');
  });

  it('keeps the digits of an integer, however many', () => {
    const text = '{\n  "id": 12345678901234567890,\n  "ids": [\n    -9007199254740993\n  ]\n}';
    const reading = readJson(text);
    expect(reading).toEqual({ ok: true, value: { id: 12345678901234567890n, ids: [-9007199254740993n] } });
    expect(reading.ok && writeJson(reading.value)).toBe(text);
  });

  it('rejects a number that would be rounded, in any notation', () => {
    for (const text of [
      '9007199254740993.0',
      '9007199254740993e0',
      '-90071992547409930e-1',
      '9007199254740991.5',
      '1.00000000000000000001e300',
    ])
      expect(problemOf(text).message).toContain('would not arrive exactly');
    for (const text of ['9007199254740991.0', '9007199254740994.0', '1e300', '1.50e300', '9.007199254740994E15', '0.1', '0e-400'])
      expect(readJson(text)).toEqual({ ok: true, value: Number(text) });
    expect(problemOf('1e-400').message).toContain('too small');
  });

  it('rejects the same nesting depth as the server', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(readJson(nested(LIMITS.bodyDepth - 1)).ok).toBe(true);
    expect(problemOf(nested(LIMITS.bodyDepth)).message).toContain('nested more than 63 levels');
    expect(readJson(nested(LIMITS.bodyDepth - 3), 2).ok).toBe(true);
    expect(readJson(nested(LIMITS.bodyDepth - 2), 2).ok).toBe(false);
  });

  it('reads output of writeJson', () => {
    const value = { text: 'line\nline "quoted" \\ \u2028', list: [1.5, null, false, {}] };
    expect(readJson(writeJson(value))).toEqual({ ok: true, value });
  });
});
