import { expect, it } from 'vitest';
import { firstParagraph } from './paragraphs.ts';

it.each([
  ['', '', ''],
  ['One line.', 'One line.', ''],
  ['One\ntwo', 'One\ntwo', ''],
  ['One.\n\nTwo.\n\nThree.', 'One.', 'Two.\n\nThree.'],
  ['One.\n \t\n\n Two.\n', 'One.', 'Two.'],
])('divides %j', (text, first, rest) => {
  expect(firstParagraph(text)).toEqual({ first, rest });
});
