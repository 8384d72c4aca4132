import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { Markdown } from '#components/ui/Markdown.tsx';
import { PAYLOADS } from '../../../e2e/fixtures/results/payloads.ts';
import { ResultView } from './ResultView.tsx';

afterEach(cleanup);

/** Tag names instead of selectors, which the test DOM parses again for each element. */
const ELEMENTS = new Set('script iframe object embed base link meta style form img video audio math b details template'.split(' '));
const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'xlink:href']);

function intruders(root: HTMLElement): string[] {
  return [...root.querySelectorAll('*')]
    .filter((element) => {
      const name = element.localName.toLowerCase();
      if (ELEMENTS.has(name)) return true;
      if (name === 'a' && element.getAttribute('href')?.startsWith('https://') !== true) return true;
      return [...element.attributes].some(
        (attribute) => /^on/i.test(attribute.name) || (name !== 'a' && ADDRESSES.has(attribute.name.toLowerCase())),
      );
    })
    .map((element) => element.outerHTML.slice(0, 120));
}

describe.each(PAYLOADS)('%j', (payload) => {
  test.each([
    ['a text', payload],
    ['a text as Markdown', `# Title\n\n${payload}`],
    ['names and values of a tree', { [payload]: payload, deeper: [payload] }],
    ['a table', [{ [payload]: payload }]],
    [
      'content',
      {
        content: [
          { type: 'text', text: payload },
          { type: 'image', data: payload, mimeType: payload },
          { type: 'audio', data: btoa('<script>'), mimeType: 'image/svg+xml' },
          { type: 'resource', resource: { uri: payload, mimeType: payload, text: payload } },
          { type: 'resource_link', uri: payload, name: payload, title: payload, description: payload },
          { type: payload, value: payload },
        ],
      },
    ],
  ])('is rendered as text in %s', (_, value) => {
    const { container } = render(<ResultView value={value} label="Result" copyLabel="Copy" fileParts={['x']} />);
    expect(intruders(container)).toEqual([]);
    for (const name of ['Tree', 'Text']) {
      // Not by role: computing the roles of all elements would take most of the time of these hundreds of cases.
      for (const button of screen.queryAllByText(name, { selector: 'button' })) {
        fireEvent.click(button);
        expect(intruders(container)).toEqual([]);
      }
    }
    // oxlint-disable-next-line no-control-regex -- no escape may be visible either
    expect(container.textContent).not.toMatch(/[\u001b\u202a-\u202e\u2066-\u2069]/);
  });

  test('is only text and web links when rendered as Markdown', () => {
    const { container } = render(<Markdown text={payload} />);
    expect(intruders(container)).toEqual([]);
  });
});
