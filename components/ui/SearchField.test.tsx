import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { NuqsTestingAdapter } from 'nuqs/adapters/testing';
import { useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { SearchField, useSearchText } from './SearchField.tsx';

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

it('writes its text to the address before a click opens a link', () => {
  let search = '';
  function List() {
    const [text, setText] = useSearchText('q');
    return (
      <>
        <SearchField label="Search" value={text} onChange={setText} />
        <button type="button" onClick={() => (search = location.search)}>
          Open
        </button>
      </>
    );
  }
  window.history.replaceState(null, '', '?status=failed');
  render(<List />, { wrapper: NuqsTestingAdapter });
  fireEvent.change(field(), { target: { value: 'two words' } });
  expect(location.search).toBe('?status=failed');
  fireEvent.click(screen.getByRole('button', { name: 'Open' }));
  expect(search).toBe('?status=failed&q=two+words');
});
