import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { CodeFrame } from './CodeFrame.tsx';

afterEach(cleanup);

it('marks the faulty line for eyes and for screen readers, and puts the caret under the place', () => {
  render(<CodeFrame frame={'   9 | a\n> 10 |   b c\n     |     ^'} file={null} />);
  const text = screen.getByRole('region').textContent;
  expect(text).toContain('fault in line 10');
  expect(text).toContain('line  9a\n');
  expect(text).toContain('    ^\n');
});

it('shows markup in foreign code as text', () => {
  render(<CodeFrame frame={'> 1 | <img src=x onerror=alert(1)>'} file={null} />);
  expect(screen.getByRole('region').querySelector('img')).toBeNull();
  expect(screen.getByRole('region').textContent).toContain('<img src=x onerror=alert(1)>');
});
