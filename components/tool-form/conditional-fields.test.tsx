import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { at, FormPage } from './form-for-tests.tsx';

afterEach(cleanup);

const base = { type: 'object', properties: { kind: { enum: ['firm', 'person'], title: 'Kind of buyer' }, born: { type: 'string' } } };
const firm = { properties: { vat: { type: 'string' } }, required: ['vat', 'born'] };
const isFirm = { properties: { kind: { const: 'firm' } } };
const COUNTS = 'Used only without a value for Kind of buyer.';
const REQUIRED = 'Required only without a value for Kind of buyer.';

const wordsOf = (pointer: string) => document.querySelector(`#${at(pointer).id}-words`)?.textContent ?? '';

it.each([
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  ['then', { if: isFirm, then: firm }],
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  ['a part of allOf', { allOf: [{ if: isFirm, then: firm }] }],
  ['else', { if: { ...isFirm, required: ['kind'] }, else: firm }],
])('notes that fields from %s apply only while a value is missing', (_where, rules) => {
  render(<FormPage schema={{ ...base, ...rules }} />);
  expect([wordsOf('/vat'), wordsOf('/born'), wordsOf('/kind')]).toEqual([COUNTS, REQUIRED, '']);
  expect(at('/vat').getAttribute('aria-describedby')).toContain(`${at('/vat').id}-words`);
});

it('shows no note once the value is chosen', () => {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  render(<FormPage schema={{ ...base, if: isFirm, then: firm }} />);
  fireEvent.change(at('/kind'), { target: { value: 'firm' } });
  expect([wordsOf('/vat'), wordsOf('/born')]).toEqual(['', '']);
  fireEvent.change(at('/kind'), { target: { value: 'person' } });
  expect(document.querySelector('[data-path="/vat"]')).toBeNull();
});

it('shows no note if another field decides', () => {
  const rules = { if: { properties: { kind: { const: 'firm' }, born: { const: 'x' } } }, else: firm };
  render(<FormPage schema={{ ...base, ...rules }} first={{ born: 'y' }} />);
  expect([wordsOf('/vat'), screen.queryByText(/as long as/)]).toEqual(['', null]);
});

it('names all missing fields', () => {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  const rules = { if: { properties: { kind: { const: 'firm' }, born: { const: 'x' } } }, then: { properties: { vat: {} } } };
  render(<FormPage schema={{ ...base, ...rules }} />);
  expect(screen.getByText('Used only without a value for Kind of buyer and born.')).toBeTruthy();
});
