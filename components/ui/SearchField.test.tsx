import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SearchField } from './SearchField.tsx';

let changes: string[] = [];
beforeEach(() => {
  changes = [];
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const fieldOf = (value: string) => <SearchField label="Search" value={value} onChange={(text) => changes.push(text)} />;
const field = () => screen.getByLabelText<HTMLInputElement>('Search');
const type = (text: string) => fireEvent.change(field(), { target: { value: text } });

function pass(ms: number): void {
  act(() => void vi.advanceTimersByTime(ms));
}

describe('a search whose value is in the URL', () => {
  it('keeps the typed text when an earlier value arrives late', () => {
    const { rerender } = render(fieldOf(''));
    type('a');
    type('ab');
    rerender(fieldOf('a'));
    expect(field().value).toBe('ab');
    type('abc');
    rerender(fieldOf(''));
    expect(field().value).toBe('abc');
    rerender(fieldOf('abc'));
    pass(2_000);
    expect([field().value, changes]).toEqual(['abc', ['a', 'ab', 'abc']]);
  });

  it('shows external changes immediately', () => {
    const { rerender } = render(fieldOf('old'));
    type('older');
    rerender(fieldOf('another'));
    expect(field().value).toBe('another');
    type('another one');
    expect(field().value).toBe('another one');
  });

  it.each([
    ['after Back', () => void fireEvent.popState(window)],
    ['after blur', () => void fireEvent.blur(field())],
    ['after a second without input', () => pass(1_001)],
  ])('shows the value of the page %s', (_, happens) => {
    const { rerender } = render(fieldOf(''));
    type('a');
    rerender(fieldOf('a'));
    rerender(fieldOf(''));
    happens();
    expect(field().value).toBe('');
  });
});

describe('Escape in a search', () => {
  it.each([
    ['while an input method composes', { isComposing: true, keyCode: 229 }],
    ['with the key code that Safari reports', { isComposing: false, keyCode: 229 }],
  ])('does not clear the text %s', (_, composing) => {
    render(fieldOf('日本'));
    fireEvent.keyDown(field(), { key: 'Escape', ...composing });
    expect(field().value).toBe('日本');
    fireEvent.keyDown(field(), { key: 'Escape', keyCode: 27 });
    expect(field().value).toBe('');
  });
});
