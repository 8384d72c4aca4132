import fc from 'fast-check';

export interface Sample {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

const name = fc.oneof(
  fc.constantFrom('a', 'b.c', 'd e', 'f/g', 'h~i', '$j', 'toString', '0', '_', 'é'),
  fc.string({ minLength: 1, maxLength: 6 }).filter((text) => text !== '__proto__'),
);
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '007', 'true', 'null', 'a\nb', ' '));
/** Forms reject integers that a double cannot represent exactly, and -0, which JSON loses. */
const isExactNumber = (number: number) => !Object.is(number, -0) && (!Number.isInteger(number) || Number.isSafeInteger(number));
const safeNumber = fc.double({ noNaN: true, noDefaultInfinity: true }).filter(isExactNumber);
const json = fc.jsonValue({ maxDepth: 2 }).filter(isExact);

function isExact(value: unknown): boolean {
  if (typeof value === 'number') return isExactNumber(value);
  if (Array.isArray(value)) return value.every(isExact);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, member]) => key !== '__proto__' && isExact(member));
}

const day = fc
  .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

export const samples: fc.Arbitrary<Sample> = fc.letrec<{ node: Sample; object: Sample }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text.map((value): Sample => ({ schema: { type: 'string' }, value })),
    text.map((value): Sample => ({ schema: { type: ['string', 'null'], default: 'x' }, value })),
    fc.constant<Sample>({ schema: { type: ['string', 'null'], default: 'x' }, value: null }),
    fc
      .tuple(fc.constantFrom('date', 'time', 'date-time'), fc.oneof(day, text))
      .map(([format, value]): Sample => ({ schema: { type: 'string', format }, value })),
    fc
      .maxSafeInteger()
      .filter(isExactNumber)
      .map((value): Sample => ({ schema: { type: 'integer' }, value })),
    safeNumber.map((value): Sample => ({ schema: { type: 'number' }, value })),
    fc.boolean().map((value): Sample => ({ schema: { type: 'boolean' }, value })),
    json.map((value): Sample => ({ schema: {}, value })),
    fc
      .uniqueArray(fc.oneof(text, fc.integer(), fc.constantFrom(null, true, false)), { minLength: 1, maxLength: 4 })
      .chain((values) => fc.constantFrom(...values).map((value): Sample => ({ schema: { enum: values }, value }))),
    fc.array(text, { maxLength: 3 }).map((value): Sample => ({ schema: { type: 'array', items: { type: 'string' } }, value })),
    fc
      .array(fc.constantFrom('x', 'y'), { maxLength: 3 })
      .map((value): Sample => ({ schema: { type: 'array', items: { enum: ['x', 'y'] } }, value })),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((parts): Sample => ({
      schema: { type: 'array', prefixItems: parts.map((part) => part.schema), items: false },
      value: parts.map((part) => part.value),
    })),
    fc.tuple(tie('object'), fc.constantFrom('one', 'two')).map(([part, kind]): Sample => ({
      schema: {
        oneOf: ['one', 'two'].map((mark) => ({
          ...part.schema,
          title: mark,
          properties: { ...properties(part), kind: { const: mark } },
          required: ['kind'],
        })),
      },
      value: { kind, ...without(part.value, 'kind') },
    })),
    fc
      .dictionary(name, text, { maxKeys: 3, noNullPrototype: true })
      .map((value): Sample => ({ schema: { type: 'object', additionalProperties: { type: 'string' } }, value })),
    tie('object'),
  ),
  object: fc
    .tuple(fc.dictionary(name, fc.tuple(tie('node'), fc.boolean(), fc.boolean()), { maxKeys: 4, noNullPrototype: true }), fc.boolean())
    .map(([members, whole]): Sample => {
      const entries = Object.entries(members);
      const sent = entries.filter(([, [, isSent, isRequired]]) => whole || isSent || isRequired);
      return {
        schema: {
          type: 'object',
          properties: Object.fromEntries(entries.map(([key, [part]]) => [key, part.schema])),
          required: entries.filter(([, [, , isRequired]]) => isRequired).map(([key]) => key),
        },
        value: Object.fromEntries(sent.map(([key, [part]]) => [key, part.value])),
      };
    }),
})).object;

function properties(part: Sample): Readonly<Record<string, unknown>> {
  const all = part.schema['properties'];
  return typeof all === 'object' && all !== null ? without(all, 'kind') : {};
}

function without(value: unknown, key: string): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).filter(([each]) => each !== key)) : {};
}

export { json as jsonValues };
