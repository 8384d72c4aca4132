import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from './measure_text.ts';

test('counts characters, words and lines as people do', () => {
  assert.deepEqual(run({ text: 'The more, the merrier! Is it?\n\nIt is 👩‍👩‍👧.', top: 2 }), {
    words: 8,
    different_words: 5,
    sentences: 3,
    paragraphs: 2,
    characters: 39,
    reading_minutes: 0,
    top_words: [
      { word: 'is', count: 2 },
      { word: 'it', count: 2 },
    ],
  });
});

test('finds words without spaces between them, and skips the ignored words', () => {
  assert.ok(run({ text: '私は学生です', language: 'ja' }).words > 2);
  assert.deepEqual(run({ text: 'A a b', leave_out: ['A'] }).top_words, [{ word: 'b', count: 1 }]);
});

test('returns zeros for an empty text', () => {
  assert.partialDeepStrictEqual(run({ text: '' }), {
    words: 0,
    sentences: 0,
    paragraphs: 0,
    characters: 0,
    reading_minutes: 0,
    top_words: [],
  });
});

test('describes the format of a language', () => {
  assert.throws(() => run({ text: 'a', language: 'not a tag' }), /"not a tag" is no language tag. Give one such as "en"/);
});
