/**
 * `multipleOf` with decimal arithmetic: 19.99 is a multiple of 0.01, although binary division leaves a remainder. Shared by forms
 * and call validation.
 */
export function isMultiple(value: number, step: number): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(step) || step === 0) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  const [one, other] = [decimalOf(value), decimalOf(step)];
  const scale = Math.max(one.scale, other.scale);
  return (one.digits * 10n ** BigInt(scale - one.scale)) % (other.digits * 10n ** BigInt(scale - other.scale)) === 0n;
}

/** Replaces ajv's keyword, which uses binary division. */
export const MULTIPLE_OF = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  validate: (step: number, value: number) => isMultiple(value, step),
} as const;

/** The number is `digits` / 10^`scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent) };
}
