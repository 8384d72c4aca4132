import { expect, it } from 'vitest';
import type * as real from '#lib/author-tests/load-extension.ts';
import type * as shipped from './testing-types.ts';

it('declares the exports of the module', () => {
  const load = null as unknown as typeof real.loadExtension satisfies typeof shipped.loadExtension;
  const failure = null as unknown as real.CallFailure satisfies shipped.CallFailure;
  expect([load, failure]).toEqual([null, null]);
});
