import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { FormPage, at, tried } from './form-for-tests.tsx';

afterEach(cleanup);

const shape = (kind: Record<string, unknown>, more: Record<string, unknown>, required = ['kind']) => ({
  type: 'object',
  properties: { kind, ...more },
  required,
});
const SHAPES = [
  shape({ const: 'circle', title: 'Kind', description: 'Round.' }, { radius: { type: 'number' } }),
  shape({ enum: ['square'] }, { side: { type: 'number' } }),
];
const accepting = (it: object) => ({ type: 'object', properties: { it }, required: ['it'] });

function choose(label: string) {
  const select = screen.getByRole('combobox', { name: 'Form of it' });
  const option = [...select.querySelectorAll('option')].find((each) => each.textContent === label);
  fireEvent.change(select, { target: { value: option?.value } });
}

const hasField = (pointer: string) => document.querySelector(`[data-path="${pointer}"]`) !== null;

describe('the discriminator of a union option', () => {
  it.each(['oneOf', 'anyOf'])('is shown only in the choice, with its description, and is sent: %s', (word) => {
    render(<FormPage schema={accepting({ [word]: SHAPES })} />);
    choose('circle');
    expect([hasField('/it/kind'), hasField('/it/radius')]).toEqual([false, true]);
    expect(screen.getByText('Round.')).toBeTruthy();
    fireEvent.change(at('/it/radius'), { target: { value: '2' } });
    expect(tried.payload).toEqual({ it: { kind: 'circle', radius: 2 } });
    choose('square');
    expect([hasField('/it/kind'), hasField('/it/side')]).toEqual([false, true]);
    expect(tried.payload).toEqual({ it: { kind: 'square' } });
  });

  it('has a field if the option has another title, or if it is optional or missing', () => {
    const titled = { ...SHAPES[0], title: 'A round one' };
    const optional = shape({ const: 'dot' }, { x: { type: 'number' } }, ['x']);
    const { unmount } = render(<FormPage schema={accepting({ oneOf: [titled, optional] })} />);
    choose('A round one');
    expect(hasField('/it/kind')).toBe(true);
    choose('dot');
    expect(hasField('/it/kind')).toBe(true);
    unmount();
    render(<FormPage schema={accepting({ oneOf: SHAPES })} first={{ it: { side: 2 } }} />);
    expect(hasField('/it/kind')).toBe(true);
  });

  it('has a field if it has an error', () => {
    const issues = [{ path: '/it/kind', message: 'Not this one.' }];
    render(<FormPage schema={accepting({ oneOf: SHAPES })} first={{ it: { kind: 'square' } }} issues={issues} />);
    expect(hasField('/it/kind')).toBe(true);
    expect(screen.getByText('Not this one.')).toBeTruthy();
  });
});
