import { expect, it } from 'vitest';
import { findMentions, splitMentions } from './mentions.ts';

const ADA = { name: 'Ada' };
const ADA_LOVELACE = { name: 'Ada Lovelace' };
const GRACE = { name: 'Grace (ops)' };
const ELIF = { name: 'İpek Öz' };
const ALL = [ADA, ADA_LOVELACE, GRACE, ELIF];
const named = (text: string) => findMentions(text, ALL).map(({ name }) => name);

it('finds each name after an @ once, in order, in any case', () => {
  expect(named('@grace (ops), ask @ADA; then @Ada again')).toEqual(['Grace (ops)', 'Ada']);
  expect(named('(@İpek Öz)')).toEqual(['İpek Öz']);
  expect(named('@Ada\nLovelace knows')).toEqual(['Ada Lovelace']);
});

it('prefers the longer of two names with the same beginning, and matches no part of a word', () => {
  expect(named('@Ada Lovelace')).toEqual(['Ada Lovelace']);
  expect(named('@Ada Lovely')).toEqual(['Ada']);
  expect(named('@Adam @Ada1 @Ada_')).toEqual([]);
});

it('treats no e-mail address, no code and no name without @ as a mention', () => {
  expect(named('mail x@Ada, see https://example.org/@Ada, @@Ada, Ada')).toEqual([]);
  expect(named('`@Ada` and ``a ` @Ada``')).toEqual([]);
  expect(named('```ts\n@Ada\n```\nso @Grace (ops)')).toEqual(['Grace (ops)']);
  expect(named('~~~\n@Ada')).toEqual([]);
  expect(named('an open ` and @Ada')).toEqual(['Ada']);
});

it('finds nobody without names, and treats names as text, not as patterns', () => {
  expect(findMentions('@Ada', [])).toEqual([]);
  expect(findMentions('@anything', [{ name: '.*' }, { name: '' }])).toEqual([]);
  expect(findMentions('@.* it is', [{ name: '.*' }])).toEqual([{ name: '.*' }]);
});

it('splits a text without losing any part', () => {
  const text = 'Hi @ada lovelace, and @Ada.';
  const pieces = splitMentions(text, ['Ada Lovelace', 'Ada']);
  expect(pieces.filter((piece) => piece.isMention).map((piece) => piece.text)).toEqual(['@ada lovelace', '@Ada']);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  expect(splitMentions('nobody', [])).toEqual([{ at: 0, text: 'nobody', isMention: false }]);
});
