import { expect, it } from 'vitest';
import { triggerInWords } from './revision-words.ts';

it.each([
  ['edit', 'Ada', 'by an edit of Ada'],
  ['edit', null, 'by an edit here'],
  ['reload', 'Ada', 'by a reload of Ada'],
  ['watch', null, 'by a saved file'],
  ['start', null, 'at the start of the server'],
])('says what a revision was tried by: %s of %s', (trigger, actor, words) => {
  expect(triggerInWords({ trigger, actor })).toBe(words);
});
