import { describe, expect, it } from 'vitest';
import type { FieldPlan, FormSchema } from './field-plan.ts';
import { planAt, planForm } from './form-plan.ts';

function planned(property: unknown, more: Record<string, unknown> = {}): FieldPlan {
  return planAt(fieldOf(planForm({ type: 'object', properties: { it: property }, ...more }), 'it'), undefined);
}

function fieldOf(form: FormSchema, name: string, value: unknown = {}): FormSchema {
  const field = planAt(form, value).fields.find((each) => each.name === name);
  if (field === undefined) throw new Error(`no field ${name}`);
  return field.part;
}

function namesOf(form: FormSchema, value: unknown): readonly string[] {
  return planAt(form, value).fields.map((field) => field.name);
}

describe('planForm', () => {
  it.each([
    [{ type: 'string' }, 'text'],
    [{ type: 'string', maxLength: 2000 }, 'multiline'],
    [{ type: 'string', format: 'textarea' }, 'multiline'],
    [{ type: 'string', format: 'password' }, 'password'],
    [{ type: 'string', writeOnly: true }, 'password'],
    [{ type: 'string', contentEncoding: 'base64' }, 'bytes'],
    [{ type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' }, 'bytes'],
    [{ type: 'string', format: 'byte' }, 'bytes'],
    [{ type: 'string', format: 'binary', maxLength: 2000 }, 'bytes'],
    [{ type: 'string', format: 'date' }, 'date'],
    [{ type: 'string', format: 'time' }, 'time'],
    [{ type: 'string', format: 'date-time' }, 'date-time'],
    [{ type: 'integer' }, 'integer'],
    [{ type: ['integer', 'number'] }, 'number'],
    [{ minimum: 3 }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ enum: ['a', 1, null] }, 'choice'],
    [{ oneOf: [{ const: 'a', title: 'First' }, { const: 'b' }] }, 'choice'],
    [{ type: 'null' }, 'choice'],
    [{ type: 'array', items: { type: 'string' } }, 'array'],
    [{ type: 'array', uniqueItems: true, items: { enum: ['a', 'b'] } }, 'choices'],
    [{ type: 'object', properties: { a: {} } }, 'object'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'object'],
    [{ type: 'object', patternProperties: { '^x': {} } }, 'object'],
    [{ type: 'array' }, 'array'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'choices'],
    [{ type: 'array', prefixItems: [{ type: 'string' }] }, 'tuple'],
    [{ type: 'array', items: [{ type: 'string' }, { type: 'integer' }] }, 'tuple'],
    [{ allOf: [{ type: 'string' }, { not: { const: '' } }] }, 'text'],
    [{ oneOf: [{ type: 'integer' }, { type: 'array', items: { type: 'integer' } }] }, 'union'],
    [{ anyOf: [{ type: 'string' }, { type: 'object', properties: { a: {} } }] }, 'union'],
    [{ type: ['string', 'number'] }, 'union'],
  ])('shows %j as %s', (schema, control) => {
    expect(planned(schema).control).toBe(control);
  });

  it.each([
    [{}, 'Any JSON'],
    [true, 'Any JSON'],
    [{ type: 'object' }, 'any names'],
  ])('edits %j as JSON and says why', (schema, why) => {
    const plan = planned(schema);
    expect(plan.control).toBe('json');
    expect(plan.jsonReason).toContain(why);
  });

  it('follows references, recursive ones on demand', () => {
    const form = planForm({
      type: 'object',
      properties: { node: { $ref: '#/$defs/node' } },
      $defs: {
        node: { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node', description: 'The next one' } } },
      },
    });
    const next = fieldOf(fieldOf(form, 'node'), 'next');
    expect(planAt(next, undefined)).toMatchObject({ control: 'object', description: 'The next one' });
    const after = fieldOf(next, 'next');
    expect(planAt(after, undefined).node).toBe(planAt(next, undefined).node);
    const tree = { $dynamicAnchor: 'tree', type: 'object', properties: { kids: { type: 'array', items: { $dynamicRef: '#tree' } } } };
    expect(planned({ $dynamicRef: '#tree' }, { $defs: { tree } }).fields.map(({ name }) => name)).toEqual(['kids']);
  });

  it('explains why there is no form for broken or circular references', () => {
    expect(planned({ $ref: '#/$defs/absent' }).jsonReason).toContain('does not resolve');
    expect(planned({ $ref: '#/$defs/a' }, { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }).jsonReason).toContain(
      'circular',
    );
    const doubling = Object.fromEntries(
      Array.from({ length: 30 }, (_, level) => [
        `d${level}`,
        { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] },
      ]),
    );
    expect(planned({ $ref: '#/$defs/d0' }, { $defs: { ...doubling, d30: { type: 'string' } } }).jsonReason).toContain('too large');
  });

  it('plans a union with null as a nullable field, and keeps its description', () => {
    expect(planned({ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }], description: 'How many', default: null })).toMatchObject({
      control: 'integer',
      nullable: true,
      description: 'How many',
      limits: '1 or more',
      defaultValue: { value: null },
    });
  });

  it('requires no field with a default', () => {
    const form = planForm({
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'string', default: 'x' }, b: { type: 'string' } },
    });
    expect(planAt(form, {}).required).toEqual(['b']);
  });

  it('leaves rules across fields to validation', () => {
    const form = planForm({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    });
    expect(namesOf(form, {})).toEqual(['a', 'b']);
  });

  it('merges the parts of an allOf, also for the same names', () => {
    const form = planForm({
      type: 'object',
      allOf: [
        { properties: { a: { type: 'string', minLength: 2 } }, required: ['a'] },
        { properties: { a: { maxLength: 5 }, b: { type: 'integer', minimum: 1 } } },
        { properties: { b: { minimum: 3, type: 'number' } } },
      ],
    });
    expect(namesOf(form, {})).toEqual(['a', 'b']);
    expect(planAt(form, {}).required).toEqual(['a']);
    expect(planAt(fieldOf(form, 'a'), undefined)).toMatchObject({ control: 'text', limits: '2 to 5 characters' });
    expect(planAt(fieldOf(form, 'b'), undefined)).toMatchObject({ control: 'integer', limits: '3 or more' });
  });

  it('shows conditional fields while the condition holds', () => {
    const form = planForm({
      type: 'object',
      properties: { kind: { enum: ['company', 'person'] }, card: { type: 'string' }, iban: { type: 'string' } },
      required: ['kind'],
      if: { properties: { kind: { const: 'company' } }, required: ['kind'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: { vat: { type: 'string' } }, required: ['vat'] },
      else: { properties: { born: { type: 'string', format: 'date' } } },
      dependentRequired: { card: ['kind', 'iban'] },
      dependentSchemas: { iban: { properties: { bank: { type: 'string' } } } },
    });
    expect(namesOf(form, {})).toEqual(['kind', 'card', 'iban', 'born']);
    expect(namesOf(form, { kind: 'company', iban: 'x' })).toEqual(['kind', 'card', 'iban', 'vat', 'bank']);
    expect(planAt(form, { kind: 'company' }).required).toEqual(['kind', 'vat']);
    expect(planAt(form, { kind: 'person', card: '1' }).required).toEqual(['kind', 'iban']);
  });

  it('offers each variant of the root with the shared properties', () => {
    const form = planForm({
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      oneOf: [
        { properties: { kind: { const: 'mail' }, to: { type: 'string' } }, required: ['kind', 'to'] },
        { properties: { kind: { const: 'push' }, device: { type: 'string' } }, required: ['kind', 'device'] },
      ],
    });
    const { options } = planAt(form, {});
    expect(options.map((option) => option.title)).toEqual(['mail', 'push']);
    expect(options.map((option) => planAt(option.part, {}).fields.map((field) => field.name))).toEqual([
      ['kind', 'to', 'id'],
      ['kind', 'device', 'id'],
    ]);
  });

  it('has no field for a disallowed name', () => {
    expect(namesOf(planForm({ type: 'object', properties: { a: false, b: true } }), {})).toEqual(['b']);
  });

  it('distinguishes equal labels of values with different types', () => {
    expect(planned({ enum: ['1', 1, null, 'null', 'a'] }).choices.map((choice) => choice.label)).toEqual([
      '"1"',
      '1',
      'null',
      '"null"',
      'a',
    ]);
  });

  it('labels a constant by its value: its title is the field name', () => {
    expect(planned({ const: 'dog', title: 'Pet type' })).toMatchObject({ title: 'Pet type', choices: [{ value: 'dog', label: 'dog' }] });
    expect(planned({ oneOf: [{ const: 'dog', title: 'A dog' }] }).choices).toMatchObject([{ value: 'dog', label: 'A dog' }]);
  });

  it('describes the limits in words', () => {
    expect(planned({ type: 'integer', minimum: 1, maximum: 14 }).limits).toBe('1 to 14');
    expect(planned({ type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 }).limits).toBe('more than 0, a multiple of 0.5');
    expect(planned({ type: 'number', exclusiveMinimum: 0, maximum: 1 }).limits).toBe('more than 0, 1 or less');
    expect(planned({ type: 'string', minLength: 2, maxLength: 2 }).limits).toBe('exactly 2 characters');
    expect(planned({ type: 'array', items: { type: 'string' }, minItems: 1 }).limits).toBe('at least 1 item');
  });

  it('knows where empty text is a distinct value', () => {
    expect(planned({ type: 'string' }).emptyText).toBe(true);
    expect(planned({ type: 'string', minLength: 1 }).emptyText).toBe(false);
    expect(planned({ type: 'string', pattern: '^\\d+$' }).emptyText).toBe(false);
    expect(planned({ type: 'string', format: 'email' }).emptyText).toBe(false);
  });
});

describe('planAt for rare schemas', () => {
  it('offers null only if the enum includes it', () => {
    expect(planned({ type: ['string', 'null'], enum: ['a', 'b'] }).nullable).toBe(false);
    expect(planned({ type: ['string', 'null'], enum: ['a', null] }).nullable).toBe(true);
  });

  it('combines the options of oneOf and anyOf, and ignores options that only add rules', () => {
    const form = (more: object) => ({ type: 'object', oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }], ...more });
    const names = (schema: object) =>
      planned(schema).options.map((option) =>
        planAt(option.part, {})
          .fields.map((field) => field.name)
          .join(' '),
      );
    expect(names(form({ anyOf: [{ properties: { x: {} } }, { properties: { y: {} } }] }))).toEqual(['a x', 'a y', 'b x', 'b y']);
    expect(names(form({ anyOf: [{ required: ['a'] }, { required: ['b'] }] }))).toEqual(['a', 'b']);
    expect(names({ ...form({ anyOf: form({}).oneOf }), oneOf: [{ required: ['a'] }] })).toEqual(['a', 'b']);
  });

  it('offers empty text for every format that allows it', () => {
    for (const format of ['markdown', 'html', 'multiline', 'of-our-own']) expect(planned({ type: 'string', format }).emptyText).toBe(true);
    for (const format of ['date', 'uuid', 'uri']) expect(planned({ type: 'string', format }).emptyText).toBe(false);
  });

  it('keeps the description of each constant', () => {
    expect(planned({ oneOf: [{ const: 'a', title: 'A', description: 'The first.' }, { const: 'b' }] }).choices).toEqual([
      { value: 'a', label: 'A', description: 'The first.' },
      { value: 'b', label: 'b', description: null },
    ]);
  });
});
