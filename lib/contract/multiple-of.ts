/** Whether a number is a multiple as people count: 19.99 is one of 0.01, though its quotient in binary fractions is no whole number. */
export function isMultiple(value: number, step: number): boolean {
  return Number.isInteger(step) ? value % step === 0 : Number.isInteger(Number((value / step).toPrecision(15)));
}

/** Takes the place of ajv's own keyword, which divides and is content with nothing but a whole number. */
export const MULTIPLE_OF = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  validate: (step: number, value: number) => isMultiple(value, step),
} as const;
