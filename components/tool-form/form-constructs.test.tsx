import { cleanup, render } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { NUMBERS, TEXTS, WORDS } from '#lib/testing/form-cases/form-cases.ts';
import { LISTS, OBJECTS } from '#lib/testing/form-cases/object-cases.ts';
import { UNIONS } from '#lib/testing/form-cases/union-cases.ts';
import { TOOLS } from '../../e2e/fixtures/forms/extension.ts';
import { FormPage, createFiller, tried } from './form-for-tests.tsx';

afterEach(cleanup);

describe('a form sends what was filled in', () => {
  it.each([...TEXTS, ...NUMBERS, ...LISTS, ...OBJECTS, ...UNIONS, ...WORDS])(
    '$tool: $sent',
    async ({ tool, fill, sent, filled = sent }) => {
      const schema = TOOLS.find(({ name }) => name === tool)?.parameters;
      render(<FormPage schema={{ ...schema }} />);
      await fill(createFiller());
      expect(tried.unsendable).toEqual({});
      expect(tried.payload).toStrictEqual(filled);
    },
  );
});
