export interface Summary {
  count: number;
  sum: number;
  mean: number;
  median: number;
  min: number;
  max: number;
  /** Of the population, not of a sample. */
  standard_deviation: number;
}

/** Null for an empty list, or when the sum is too large to be a number. */
export function summarise(numbers: readonly number[]): Summary | null {
  const sorted = numbers.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const [min, max, upper] = [sorted.at(0), sorted.at(-1), sorted[middle]];
  if (min === undefined || max === undefined || upper === undefined) return null;
  const sum = numbers.reduce((total, number) => total + number, 0);
  const mean = sum / numbers.length;
  const variance = numbers.reduce((total, number) => total + (number - mean) ** 2, 0) / numbers.length;
  if (!Number.isFinite(sum) || !Number.isFinite(variance)) return null;
  const lower = sorted[middle - 1] ?? upper;
  const median = sorted.length % 2 === 1 ? upper : lower / 2 + upper / 2;
  return { count: numbers.length, sum, mean, median, min, max, standard_deviation: Math.sqrt(variance) };
}
