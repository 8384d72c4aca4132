import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { LongText } from './LongText.tsx';

afterEach(cleanup);

it('truncates long text, and shows all of it on request', () => {
  render(<LongText text={`${'word '.repeat(200)}the \`end\``} />);
  expect(screen.queryByText('end')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'More' }));
  expect(screen.getByText('end').tagName).toBe('CODE');
  fireEvent.click(screen.getByRole('button', { name: 'Less' }));
  expect(screen.queryByText('end')).toBeNull();
});

it('has no button for short text', () => {
  render(<LongText text="Adds two numbers." />);
  expect(screen.queryByRole('button')).toBeNull();
});
