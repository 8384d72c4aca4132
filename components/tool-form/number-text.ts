import { numberOf, numberProblem } from './json-text.ts';

/** What a person typed into a number field. `value` is undefined for nothing and for what is no number. */
export interface NumberReading {
  readonly value: number | bigint | undefined;
  readonly problem: string | null;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

export function readNumber(text: string): NumberReading {
  const trimmed = text.trim();
  if (trimmed === '') return { value: undefined, problem: null };
  if (!NUMBER.test(trimmed)) {
    const pointed = trimmed.replace(',', '.');
    if (trimmed.includes(',') && NUMBER.test(pointed)) return { value: undefined, problem: `Write the number with a point: ${pointed}` };
    return { value: undefined, problem: `"${trimmed.slice(0, 40)}" is not a number.` };
  }
  const written = trimmed.replace(/^\+/, '');
  const problem = numberProblem(written);
  return problem === null ? { value: numberOf(written), problem } : { value: undefined, problem };
}

/** Counts without the noise of binary fractions: 0.1 + 0.2 is 0.3. */
export function stepped(from: number | bigint, by: number): number | bigint {
  if (typeof from === 'bigint') return Number.isInteger(by) ? from + BigInt(by) : stepped(Number(from), by);
  const sum = from + by;
  return Number.isInteger(sum) ? sum : Number(sum.toPrecision(12));
}
