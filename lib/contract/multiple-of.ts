/**
 * The rule `multipleOf` as people mean it: by the decimals in which numbers are written. 19.99 is 1,999 times 0.01, though
 * dividing the two as binary fractions leaves a rest; the form and what checks a call judge alike.
 */
export function isMultiple(value: number, step: number): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(step) || step === 0) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  const [one, other] = [decimalOf(value), decimalOf(step)];
  const scale = Math.max(one.scale, other.scale);
  return (one.digits * 10n ** BigInt(scale - one.scale)) % (other.digits * 10n ** BigInt(scale - other.scale)) === 0n;
}

/** Takes the place of ajv's own keyword, which divides and is content with nothing but a whole number. */
export const MULTIPLE_OF = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  validate: (step: number, value: number) => isMultiple(value, step),
} as const;

/** A number is `digits` divided by ten to the power of `scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent) };
}
