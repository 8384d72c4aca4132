import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { SearchField } from './SearchField.tsx';

afterEach(cleanup);

function Search() {
  const [text, setText] = useState('日本');
  return <SearchField label="Search" value={text} onChange={setText} />;
}
const field = () => screen.getByLabelText<HTMLInputElement>('Search');

describe('Escape in a search', () => {
  it.each([
    ['while an input method composes', { isComposing: true, keyCode: 229 }],
    ['with the key code that Safari reports', { isComposing: false, keyCode: 229 }],
  ])('does not clear the text %s', (_, composing) => {
    render(<Search />);
    fireEvent.keyDown(field(), { key: 'Escape', ...composing });
    expect(field().value).toBe('日本');
    fireEvent.keyDown(field(), { key: 'Escape', keyCode: 27 });
    expect(field().value).toBe('');
  });
});
