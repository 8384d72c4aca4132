import { cleanup, render } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { CodeInText } from './CodeInText.tsx';

afterEach(cleanup);

const shown = (text: string) => render(<CodeInText text={text} />).container.innerHTML.replaceAll(/ class="[^"]*"/g, '');

describe('foreign text', () => {
  it('has its words between backticks as code', () => {
    expect(shown('As `date` says, or `a b`.')).toBe('As <code>date</code> says, or <code>a b</code>.');
  });

  it.each(['one ` alone', '``', 'a ` over\ntwo ` lines', '**not** [read](http://x)'])('is otherwise left as it is: %j', (text) => {
    expect(shown(text)).toBe(text);
  });

  it('stays text within code, too', () => {
    expect(shown('`<img src=x>`')).toBe('<code>&lt;img src=x&gt;</code>');
  });
});
