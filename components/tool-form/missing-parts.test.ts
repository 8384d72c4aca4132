import { expect, it } from 'vitest';
import { planForm } from './form-plan.ts';
import { atMissingParts } from './missing-parts.ts';
import { REQUIRED } from './plain-words.ts';

const ADDRESS = {
  type: 'object',
  properties: {
    street: { type: 'string' },
    'a/b': { type: 'object', properties: { deep: { type: 'integer' }, kind: { const: 'x' } }, required: ['deep', 'kind'] },
    note: { type: 'string' },
  },
  required: ['street', 'a/b'],
};
const FORM = planForm({
  type: 'object',
  properties: {
    company: { type: 'boolean' },
    free: { type: 'object' },
    list: { type: 'array', items: { type: 'object', properties: { address: ADDRESS } } },
  },
  if: { properties: { company: { const: true } }, required: ['company'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a schema's word
  then: { properties: { address: ADDRESS, maybe: { ...ADDRESS, type: ['object', 'null'] } }, required: ['address', 'maybe'] },
});
const at = (path: string) => ({ path, message: REQUIRED });

it.each([
  ['is said at what it requires, as deep as it goes', '/address', { company: true }, ['/address/street', '/address/a~1b/deep']],
  ['is said so in the item of a list, too', '/list/0/address', { list: [{}] }, ['/list/0/address/street', '/list/0/address/a~1b/deep']],
  ['stays as it is where it may be null', '/maybe', { company: true }, ['/maybe']],
  ['stays as it is where it requires nothing', '/free', {}, ['/free']],
  ['stays as it is where it is no part of the form', '/other', {}, ['/other']],
])('an object that is missing %s', (_, path, payload, told) => {
  expect(atMissingParts([at(path)], FORM, payload)).toEqual(told.map(at));
});

it('what is there, or wrong in another way, is said where it is', () => {
  const other = { path: '/address', message: 'Enter an object.' };
  expect(atMissingParts([at('/address'), other], FORM, { company: true, address: {} })).toEqual([at('/address'), other]);
});
