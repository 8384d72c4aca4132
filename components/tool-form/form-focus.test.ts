import { expect, it } from 'vitest';
import { inFormOrder } from './form-focus.ts';
import { planForm } from './form-plan.ts';

const place = { type: 'object', properties: { street: {}, city: {} }, required: ['street', 'city'] };
const form = planForm({
  type: 'object',
  properties: {
    pay: {
      oneOf: [
        { type: 'object', properties: { by: { const: 'cash' } } },
        { type: 'object', properties: { by: { const: 'card' }, number: {}, expires: {}, billing: place } },
      ],
    },
    to: { type: 'array', items: place },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    amount: {},
  },
});
const payload = { pay: { by: 'card' }, to: Array.from({ length: 11 }, () => ({})), labels: { zone: 'a', area: 'b' }, odd: 1 };

it('sorts pointers in the order of the form, at each depth', () => {
  const ordered = [
    '/pay/number',
    '/pay/expires',
    '/pay/billing/street',
    '/pay/billing/city',
    '/to/2/street',
    '/to/2/city',
    '/to/10/street',
    '/labels/zone',
    '/labels/zone/~0name',
    '/labels/area',
    '/amount',
    '/odd',
    '/unknown',
  ];
  expect(inFormOrder(ordered.toSorted(), form, payload)).toEqual(ordered);
  expect(inFormOrder(['/amount', ''], form, payload)).toEqual(['', '/amount']);
});
