import { describe, expect, it } from 'vitest';
import { planOf } from './field-plan.ts';
import { planForm } from './form-plan.ts';
import { propertyOf } from './payload.ts';

function planned(property: unknown, more: Record<string, unknown> = {}) {
  return planOf(propertyOf(planForm({ type: 'object', properties: { it: property }, ...more }), 'it'));
}

describe('planForm', () => {
  it.each([
    [{ type: 'string' }, 'text'],
    [{ type: 'string', maxLength: 2000 }, 'multiline'],
    [{ type: 'string', format: 'textarea' }, 'multiline'],
    [{ type: 'string', format: 'password' }, 'password'],
    [{ type: 'string', writeOnly: true }, 'password'],
    [{ type: 'string', format: 'date' }, 'date'],
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
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'map'],
    [{ anyOf: [{ type: 'string' }, { type: 'object', properties: { a: {} } }] }, 'union'],
    [{ type: ['string', 'number'] }, 'union'],
  ])('shows %j as %s', (schema, control) => {
    expect(planned(schema)?.control).toBe(control);
  });

  it.each([
    [{}, 'Any JSON'],
    [true, 'Any JSON'],
    [{ type: 'array' }, 'any JSON values'],
    [{ type: 'array', prefixItems: [{ type: 'string' }] }, 'a kind of its own'],
    [{ type: 'object' }, 'any names'],
    [{ type: 'object', patternProperties: { '^x': {} } }, 'follow a pattern'],
    [{ $ref: '#/$defs/absent' }, 'not in it'],
    [{ allOf: [{ type: 'string' }, { not: { const: '' } }] }, 'Several rules'],
  ])('edits %j as JSON and says why', (schema, why) => {
    const plan = planned(schema);
    expect(plan?.control).toBe('json');
    expect(plan?.why).toContain(why);
  });

  it('follows references, and stops where one leads back into itself', () => {
    const form = planForm({
      type: 'object',
      properties: { node: { $ref: '#/$defs/node' } },
      $defs: { node: { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } } } },
    });
    const node = propertyOf(form, 'node');
    expect(planOf(node)?.control).toBe('object');
    expect(planOf(propertyOf(node, 'next'))).toMatchObject({ control: 'json', why: expect.stringContaining('contain itself') });
  });

  it('takes null out of a union of two and keeps the words beside it', () => {
    expect(planned({ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }], description: 'How many', default: null })).toMatchObject({
      control: 'integer',
      nullable: true,
      description: 'How many',
      limits: '1 or more',
      fallback: { value: null },
    });
  });

  it('requires nothing that has a default', () => {
    const form = planForm({
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'string', default: 'x' }, b: { type: 'string' } },
    });
    expect(form.required).toEqual(['b']);
  });

  it('knows nothing that would make a form fill in values', () => {
    const form = planForm({
      type: 'object',
      properties: {
        a: { type: 'string', default: 'x', const: 'x' },
        b: { type: 'object', default: { c: 1 }, properties: { c: { default: 1, type: 'integer' } } },
      },
    });
    const withoutPlans = JSON.stringify(form, (key, value: unknown) => (key === 'x-form' ? undefined : value));
    expect(withoutPlans).not.toContain('default');
    expect(withoutPlans).not.toContain('const');
  });

  it('leaves rules between fields to the check', () => {
    const form = planForm({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    });
    expect(Object.keys(form.properties ?? {})).toEqual(['a', 'b']);
    expect(planOf(form)?.control).toBe('object');
  });

  it('puts simple parts of an allOf together', () => {
    const form = planForm({
      allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: { type: 'integer' } } }],
    });
    expect(Object.keys(form.properties ?? {})).toEqual(['a', 'b']);
    expect(form.required).toEqual(['a']);
  });

  it('ends on a schema without end', () => {
    let deep: Record<string, unknown> = { type: 'string' };
    for (let level = 0; level < 200; level += 1) deep = { type: 'object', properties: { deeper: deep } };
    expect(planForm({ type: 'object', properties: { deep } })).toBeDefined();
    const wide = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`p${index}`, { type: 'string' }]));
    const form = planForm({ type: 'object', properties: wide });
    expect(planOf(propertyOf(form, 'p2999'))?.why).toContain('too large');
  });

  it('says the limits in words', () => {
    expect(planned({ type: 'integer', minimum: 1, maximum: 14 })?.limits).toBe('1 to 14');
    expect(planned({ type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 })?.limits).toBe('more than 0, a multiple of 0.5');
    expect(planned({ type: 'string', minLength: 2, maxLength: 2 })?.limits).toBe('exactly 2 characters');
    expect(planned({ type: 'array', items: { type: 'string' }, minItems: 1 })?.limits).toBe('at least 1 item');
  });

  it('knows where the empty text is a value', () => {
    expect(planned({ type: 'string' })?.emptyText).toBe(true);
    expect(planned({ type: 'string', minLength: 1 })?.emptyText).toBe(false);
    expect(planned({ type: 'string', pattern: '^\\d+$' })?.emptyText).toBe(false);
    expect(planned({ type: 'string', format: 'email' })?.emptyText).toBe(false);
  });
});
