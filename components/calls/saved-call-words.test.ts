import { describe, expect, it } from 'vitest';
import type { SavedRun } from '#lib/contract/saved-call.ts';
import { checksInWords, kindOfSecret, readSecret, statusOfSaved, whyNotRequired, withSecrets } from './saved-call-words.ts';
import { savedCallRecord } from '#lib/testing/api-records.ts';

const SAVED = savedCallRecord({
  id: 's',
  tool: 't',
  name: 'n',
  expectation: {},
});
const RUN: SavedRun = { call_id: 'c', ran_at: SAVED.created_at, revision: 1, status: 'failed', passed: true, failed_because: null };

describe('the description of a saved call', () => {
  it('describes a check by whether it passed, whatever the outcome of the call', () => {
    expect(statusOfSaved({ ...SAVED, last_run: RUN })).toEqual({ state: 'succeeded', word: 'Passed' });
    expect(statusOfSaved({ ...SAVED, last_run: { ...RUN, status: 'succeeded', passed: false } })).toEqual({
      state: 'failed',
      word: 'Did not pass',
    });
  });

  it('describes other saved calls by the outcome of the call, and nothing before the first run', () => {
    expect(statusOfSaved({ ...SAVED, expectation: null, last_run: { ...RUN, passed: null } })).toEqual({ state: 'failed', word: 'Failed' });
    expect(statusOfSaved(SAVED)).toBeNull();
  });

  it('counts only checks', () => {
    const plain = { ...SAVED, expectation: null, last_run: { ...RUN, passed: null } };
    expect(checksInWords([plain])).toBeNull();
    expect(checksInWords([plain, { ...SAVED, last_run: RUN }])).toBe('1 of 1 check passed');
    expect(checksInWords([SAVED, { ...SAVED, last_run: RUN }])).toBe('1 of 2 checks passed');
  });

  it('says why a saved call cannot be a required check, if it cannot', () => {
    const facts = { isCheck: true, leftOut: [], destructive: false };
    expect(whyNotRequired(facts)).toBeNull();
    expect(whyNotRequired({ ...facts, isCheck: false })).toContain('Set an assertion');
    expect(whyNotRequired({ ...facts, leftOut: ['/api_key'] })).toContain('its secrets (api_key) are not kept');
    expect(whyNotRequired({ ...facts, destructive: true })).toContain('This tool is destructive');
  });

  it('inserts secrets at their pointers without changing the saved arguments', () => {
    const args = { city: 'Oslo', list: [{ name: 'a' }] };
    const whole = withSecrets(args, { '/api_key': 'k', '/list/0/to~1ken': 't', '/gone/token': 'x' });
    expect(whole).toEqual({ city: 'Oslo', api_key: 'k', list: [{ name: 'a', 'to/ken': 't' }] });
    expect(args).toEqual({ city: 'Oslo', list: [{ name: 'a' }] });
  });

  it('inserts secrets at the positions of their list items', () => {
    expect(withSecrets({ pins: [null, 'b', null] }, { '/pins/0': 1, '/pins/2': 'c' })).toEqual({ pins: [1, 'b', 'c'] });
  });

  it.each([
    ['/pin', '1234', 1234, 'a whole number'],
    ['/pin', '12.5', undefined, 'a whole number'],
    ['/pin', 'abc', undefined, 'a whole number'],
    ['/flag', 'true', true, 'true or false'],
    ['/list/0', '1.5', 1.5, 'a number'],
    ['/keys', '["a"]', ['a'], 'a list as JSON'],
    ['/either', '7', '7', null],
    ['/unknown', '7', '7', null],
  ])('parses the secret %s by its type in the schema: %s → %j', (pointer, typed, value, kind) => {
    const schema = {
      properties: {
        pin: { $ref: '#/$defs/pin' },
        flag: { type: 'boolean' },
        list: { items: { type: 'number' } },
        keys: { type: 'array' },
        either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
      },
      $defs: { pin: { type: 'integer', writeOnly: true } },
    };
    const args = { list: [null] };
    expect(readSecret(typed, schema, args, pointer)).toEqual(value);
    expect(kindOfSecret(schema, args, pointer)).toBe(kind);
  });
});
