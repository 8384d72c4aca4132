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
    return { value: undefined, problem: problemOf(trimmed) };
  }
  const written = trimmed.replace(/^\+/, '');
  const problem = numberProblem(written);
  return problem === null ? { value: numberOf(written), problem } : { value: undefined, problem };
}

/** Groups of three digits behind one kind of sign, and what may follow them: 1,000  1.234.567,8  12 000  1'000.5 */
const GROUPED = /^([+-]?)(\d{1,3})(?:([,.'’_\s])\d{3})(?:\3\d{3})*(?:([.,])\d+)?$/;

/** "1,000" is a thousand to most and one to some, so its reading is said, and how the other one is written. */
function problemOf(text: string): string {
  const pointed = text.replace(',', '.');
  const [, , first, separator, point] = GROUPED.exec(text) ?? [];
  if (separator !== undefined && separator !== point && first !== '0') {
    const plain = text.replaceAll(separator, '').replace(',', '.').replace(/^\+/, '');
    const hint = separator === ',' && point === undefined ? ' Decimals follow a point.' : '';
    return `Write the number without separators: ${plain}.${hint}`;
  }
  if (text.includes(',') && NUMBER.test(pointed)) return `Write the number with a point: ${pointed}`;
  return `"${text.slice(0, 40)}" is not a number.`;
}

/** Counts without the noise of binary fractions: 0.1 + 0.2 is 0.3. */
export function stepped(from: number | bigint, by: number): number | bigint {
  if (typeof from === 'bigint') return Number.isInteger(by) ? from + BigInt(by) : stepped(Number(from), by);
  const sum = from + by;
  return Number.isInteger(sum) ? sum : Number(sum.toPrecision(12));
}
