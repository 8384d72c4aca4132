import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { FormPage, tried } from './form-for-tests.tsx';

afterEach(cleanup);

it('a long list ignores the Enter of an input method', () => {
  const values = Array.from({ length: 60 }, (_, at) => `駅 ${at}`);
  render(<FormPage schema={{ type: 'object', properties: { station: { enum: values } } }} />);
  const field = screen.getByRole('combobox', { name: /station/ });
  fireEvent.click(field);
  fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 });
  expect(tried.payload).toEqual({});
  fireEvent.keyDown(field, { key: 'Enter', keyCode: 13 });
  expect(tried.payload).toEqual({ station: '駅 0' });
});
