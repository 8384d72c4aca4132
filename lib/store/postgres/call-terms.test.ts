import { expect, it } from 'vitest';
import { searchWords } from '../search-words.ts';
import { BLOCK_CALLS, oldQueryOf, queryIn, queryOf, vectorOf } from './call-terms.ts';

const CALL = {
  tool: 'a',
  extension: 'b',
  status: 'failed',
  source: 'api',
  actor: null,
  error_kind: null,
  revision: 1,
  duration_us: 5,
  instance: 'one',
};

it('prefixes each word and each mark with the block of its call', () => {
  const terms = vectorOf(3 * BLOCK_CALLS + 7, 'Köln is, is here', CALL).split(' ');
  expect(terms.slice(1, -4).every((mark) => /^'3=[0-9a-f]{8}'$/.test(mark))).toBe(true);
  expect(terms.slice(1, -4)).toHaveLength(6);
  expect(terms.at(-4)).toBe("'3=d2'");
  expect(terms.slice(-3)).toEqual(["'3-koln':1", "'3-is':2,3", "'3-here':4"]);
});

it('queries words as prefixes, each once, and one of the marks of each filter', () => {
  const words = searchWords('new-york is Is') ?? [];
  const query = queryOf(words, { status: ['failed', 'timed_out'], instance: 'one' });
  const mark = "'#=[0-9a-f]{8}'";
  expect(query).toMatch(new RegExp(`^\\('#-new' <-> '#-york':\\*\\) & \\('#-is':\\*\\) & \\(${mark} \\| ${mark}\\) & \\(${mark}\\)$`));
  expect(queryIn([4, 12], "('#-a':*)")).toBe("(('4-a':*)) | (('12-a':*))");
  expect(oldQueryOf(words)).toBe("('new' <-> 'york':*) & ('is':*)");
  expect(queryOf([], {})).toBe('');
});

it('queries each class of durations within the limits', () => {
  expect(queryOf([], { min_ms: 1, max_ms: 2 })).toBe("('#=d9' | '#=d10')");
  expect(queryOf([], { max_ms: 0.002 })).toBe("('#=d0' | '#=d1')");
  expect(queryOf([], { min_ms: 0.9e9 })).toMatch(/^\('#=[0-9a-f]{8}'\) & \('#=d39' \| '#=d40'\)$/);
  expect(queryOf([], { min_ms: 3, max_ms: 1 })).toBe("('#=d11')");
});

it('indexes words up to the limit of PostgreSQL', () => {
  const long = Array.from({ length: 9_000 }, (_, at) => `${at}${'я'.repeat(100)}`).join(' ');
  const vector = vectorOf(1, long, CALL);
  expect(Buffer.byteLength(vector)).toBeLessThan(1_048_575);
  expect(vector).toContain(`'0-4000${'я'.repeat(100)}':4001`);
});

it('splits a long text like a short one', () => {
  const words = Array.from({ length: 8_000 }, (_, at) => `w${at}`);
  const terms = vectorOf(1, words.join(' '), CALL).split(' ').slice(-words.length);
  expect(terms).toEqual(words.map((word, at) => `'0-${word}':${at + 1}`));
  const sentence = (text: string) =>
    vectorOf(1, text, CALL)
      .split(' ')
      .find((term) => term.startsWith("'0-天'"));
  const long = '今天。'.repeat(4_000);
  const positions = sentence(long)?.split(':')[1]?.split(',').map(Number) ?? [];
  expect(positions.slice(0, 3)).toEqual([2, 5, 8]);
});
