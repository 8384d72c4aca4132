import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { CallFailure, loadExtension } from 'switchboard/testing';
import type { LoadedExtension } from 'switchboard/testing';
import { evaluate } from './expression.ts';
import { summarise } from './summary.ts';
import { convert } from './units.ts';

describe('expressions', () => {
  const results: readonly (readonly [string, number])[] = [
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
  ];
  for (const [expression, value] of results)
    it(`${expression} is ${value}`, () => {
      assert.ok(Math.abs(evaluate(expression) - value) < 1e-12);
      assert.ok(!Object.is(evaluate(expression), -0));
    });

  const refusals: readonly (readonly [string, string])[] = [
    ['1 / 0', 'Division by zero at character 3.'],
    ['5 % (2 - 2)', 'Division by zero at character 3.'],
    ['10 ^ 400', 'beyond 1.8e308'],
    ['1e999', 'beyond 1.8e308'],
    ['sqrt(-1)', '“sqrt” has no real result here at character 1.'],
    ['(-8) ^ 0.5', 'no real result'],
    ['', 'found the end at character 1.'],
    ['1 +', 'found the end at character 4.'],
    ['(1', 'Expected “)” but found the end at character 3.'],
    ['1 2', 'Expected an operator or the end but found “2” at character 3.'],
    ['1 $ 2', '“$” is no part of an expression'],
    ['2 × 3', '“×” is no part of an expression'],
    ['sin', '“sin” is a function at character 1: write sin( … )'],
    ['tau', 'There is no constant “tau”'],
    ['constructor(1)', 'There is no function “constructor”'],
    ['sqrt(1, 2)', '“sqrt” was given 2 values at character 1; it takes one value.'],
    ['max()', '“max” was given 0 values'],
    ['('.repeat(500), 'inside each other'],
    ['-'.repeat(500), 'inside each other'],
  ];
  for (const [expression, message] of refusals)
    it(`${expression.slice(0, 20)} is refused`, () => {
      assert.throws(
        () => evaluate(expression),
        (error: Error) => error.message.includes(message),
      );
    });
});

describe('units', () => {
  const conversions: readonly (readonly [number, string, string, number])[] = [
    [26.2, 'mi', 'km', 42.1648128],
    [0.1, 'm', 'cm', 10],
    [100, 'C', 'F', 212],
    [0, 'K', 'C', -273.15],
    [1, 'GiB', 'MiB', 1024],
  ];
  for (const [value, from, to, result] of conversions)
    it(`${value} ${from} in ${to}`, () => {
      assert.deepEqual(convert(value, from, to), { ok: true, value: result });
    });

  it('names invalid values', () => {
    const reason = (value: number, from: string, to: string): string => {
      const converted = convert(value, from, to);
      return converted.ok ? '' : converted.reason;
    };
    assert.match(reason(1, 'm', 'kg'), /m goes into m, mm, cm/);
    assert.match(reason(1, 'C', 'kg'), /C goes into K, C, F/);
    assert.match(reason(-300, 'C', 'K'), /absolute zero/);
    assert.match(reason(1e308, 'km', 'mm'), /1\.8e308/);
  });
});

describe('summaries', () => {
  it('are those of the list', () => {
    const summary = { count: 5, sum: 14, mean: 2.8, median: 3, min: 1, max: 5, standard_deviation: 1.6 };
    assert.deepEqual(summarise([3, 1, 4, 1, 5]), summary);
    assert.equal(summarise([2, 4])?.median, 3);
  });

  it('are refused for an empty list and for sums that are not finite', () => {
    assert.equal(summarise([]), null);
    assert.equal(summarise([1e308, 1e308]), null);
  });

  it('are correct for any list', () => {
    const numbers = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 1 });
    fc.assert(
      fc.property(numbers, (list) => {
        const summary = summarise(list);
        assert.ok(summary !== null);
        assert.ok(summary.min <= summary.median && summary.median <= summary.max);
        assert.equal(summarise(list.toReversed())?.sum, summary.sum);
      }),
    );
  });
});

describe('the tools, as the server runs them', () => {
  let math: LoadedExtension;
  before(async () => {
    math = await loadExtension(import.meta.dirname);
  });
  after(() => math.close());

  it('return results, and count calls in status', async () => {
    assert.deepEqual(await math.call('calculate_expression', { expression: '6*7' }), { expression: '6*7', result: 42 });
    assert.equal((await math.status())?.['calculations'], 1);
    assert.partialDeepStrictEqual(await math.call('convert_units', { value: 1, from: 'h', to: 'min' }), { result: 60 });
    assert.partialDeepStrictEqual(await math.call('summarise_numbers', { numbers: [1] }), { standard_deviation: 0 });
  });

  it('refuse an invalid expression with the reason and the position', async () => {
    await assert.rejects(math.call('calculate_expression', { expression: '1/0' }), {
      kind: 'invalid_parameters',
      message: /Division by zero/,
    });
    await assert.rejects(math.call('convert_units', { value: 1, from: 'h', to: 'm' }), /different things/);
    await assert.rejects(math.call('summarise_numbers', { numbers: [] }), { kind: 'invalid_parameters' });
  });

  it('evaluate or refuse any expression, and never fail otherwise', async () => {
    const part = fc.constantFrom('1', '2.5', '+', '-', '*', '/', '^', '%', '(', ')', 'pi', 'sqrt', 'max', ',');
    const expressions = fc.array(part, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(expressions, async (parts) => {
        const answer = await math.call('calculate_expression', { expression: parts.join(' ') }).catch((error: unknown) => error);
        if (answer instanceof CallFailure) assert.equal(answer.kind, 'invalid_parameters');
        else assert.equal(Number.isFinite(Reflect.get(Object(answer), 'result')), true);
      }),
      { numRuns: 50 },
    );
  });
});
