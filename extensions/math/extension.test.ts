import { describe, expect, it } from 'vitest';
import { evaluate } from './expression.ts';
import { status, TOOLS } from './extension.ts';
import { summarise } from './summary.ts';
import { convert } from './units.ts';

describe('expressions', () => {
  it.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['8 - 3 - 2', 3],
    ['16 / 4 / 2', 2],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', -4],
    ['2 ^ -1', 0.5],
    ['2 * -3', -6],
    ['--+2', 2],
    ['7 % 4', 3],
    ['.5 + 1. + 1e-1', 1.6],
    ['max(1, 2^10, -3) - min(4, 2)', 1022],
    ['sqrt(16) + abs(-1) + ln(e) + round(cos(pi))', 5],
    ['  1\n+\t1 ', 2],
    ['0 * -1', 0],
  ])('%s is %d', (expression, value) => {
    expect(evaluate(expression)).toBeCloseTo(value, 12);
    expect(Object.is(evaluate(expression), -0)).toBe(false);
  });

  it.each([
    ['1 / 0', 'Division by zero. (character 3)'],
    ['5 % (2 - 2)', 'Division by zero. (character 3)'],
    ['10 ^ 400', 'beyond 1.8e308'],
    ['1e999', 'beyond 1.8e308'],
    ['sqrt(-1)', '“sqrt” has no real result here. (character 1)'],
    ['(-8) ^ 0.5', 'no real result'],
    ['', 'found the end. (character 1)'],
    ['1 +', 'found the end. (character 4)'],
    ['(1', 'Expected “)” but found the end. (character 3)'],
    ['1 2', 'Expected an operator or the end but found “2”. (character 3)'],
    ['1 $ 2', '“$” is no part of an expression'],
    ['2 × 3', '“×” is no part of an expression'],
    ['sin', '“sin” is a function: write sin( … )'],
    ['tau', 'There is no constant “tau”'],
    ['constructor(1)', 'There is no function “constructor”'],
    ['sqrt(1, 2)', '“sqrt” was given 2 values; it takes one value.'],
    ['max()', '“max” was given 0 values'],
    ['('.repeat(500), 'inside each other'],
    ['-'.repeat(500), 'inside each other'],
  ])('%s is refused', (expression, message) => {
    expect(() => evaluate(expression)).toThrow(message);
  });
});

describe('units', () => {
  it.each([
    [26.2, 'mi', 'km', 42.1648128],
    [0.1, 'm', 'cm', 10],
    [100, 'C', 'F', 212],
    [0, 'K', 'C', -273.15],
    [1, 'GiB', 'MiB', 1024],
  ])('%d %s in %s', (value, from, to, result) => {
    expect(convert(value, from, to)).toEqual({ ok: true, value: result });
  });

  it('says what does not fit', () => {
    expect(convert(1, 'm', 'kg')).toMatchObject({ ok: false, reason: expect.stringContaining('m goes into m, mm, cm') });
    expect(convert(1, 'C', 'kg')).toMatchObject({ ok: false, reason: expect.stringContaining('C goes into K, C, F') });
    expect(convert(-300, 'C', 'K')).toMatchObject({ ok: false, reason: expect.stringContaining('absolute zero') });
    expect(convert(1e308, 'km', 'mm')).toMatchObject({ ok: false, reason: expect.stringContaining('1.8e308') });
  });
});

describe('summaries', () => {
  it('are those of the list', () => {
    expect(summarise([3, 1, 4, 1, 5])).toEqual({ count: 5, sum: 14, mean: 2.8, median: 3, min: 1, max: 5, standard_deviation: 1.6 });
    expect(summarise([2, 4])).toMatchObject({ median: 3 });
  });

  it('are none for an empty list and for sums that are no number', () => {
    expect(summarise([])).toBeNull();
    expect(summarise([1e308, 1e308])).toBeNull();
  });
});

describe('the tools', () => {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const ctx = { signal: new AbortController().signal, log, progress() {}, call_id: 'call', workspace_root: '/' };
  const [calculate, convertUnits, summariseNumbers] = TOOLS;

  it('answer, count in status, and refuse with what was wrong and where', () => {
    const before = status().calculations;
    expect(calculate!.execute({ expression: '6*7' } as never, ctx)).toEqual({ expression: '6*7', result: 42 });
    expect(status().calculations).toBe(before + 1);
    expect(() => calculate!.execute({ expression: '1/0' } as never, ctx)).toThrow(
      expect.objectContaining({ kind: 'invalid_parameters', data: { position: 2 } }),
    );
    expect(convertUnits!.execute({ value: 1, from: 'h', to: 'min' } as never, ctx)).toMatchObject({ result: 60 });
    expect(() => convertUnits!.execute({ value: 1, from: 'h', to: 'm' } as never, ctx)).toThrow('different things');
    expect(summariseNumbers!.execute({ numbers: [1] } as never, ctx)).toMatchObject({ standard_deviation: 0 });
    expect(() => summariseNumbers!.execute({ numbers: [] } as never, ctx)).toThrow('empty');
  });
});
