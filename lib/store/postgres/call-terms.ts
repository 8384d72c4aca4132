import { lettersOf, type MarkedCall, markOf, marksFor, marksOf, type SearchWord, splitUnspaced } from '../search-words.ts';
import type { CallSelection } from '#lib/contract/call.ts';

/**
 * The terms of a call in its `tsvector`: its words, and marks for its filter values (search-words.ts). Consecutive calls
 * are a block, and each term begins with the number of its block. So a query is for one block, and costs at most what
 * the calls of that block cost, however common a word or a prefix is; the newest blocks are read first.
 */
export const BLOCK_CALLS = 16_384;
/** Placeholder for the block number in a query. It separates words, like `-` and `=`, so no word contains it. */
const BLOCK = '#';
/** In each vector with these terms; servers of older versions write vectors without it. */
export const FORMAT_TERM = '=2';
/** Limits of PostgreSQL: a megabyte of words with positions, positions up to this one, and words of 2 KB. */
const VECTOR_BYTES_MOST = 1_000_000;
const WORDS_MOST = 16_383;
const WORD_CHARACTERS_MOST = 500;
const POSITIONS_MOST = 250;
const POSITION_BYTES = 2;
const TERM_BYTES = 12;
/** Marks repeat for each call, so they are short; equal ones are compared. */
const MARK_LETTERS = [3, 11] as const;
/** Durations of one class differ by less than a factor of two. The last one begins at 12 days. */
const DURATION_CLASSES = 40;

/** A long text is split in parts of this many characters, until its vector is full: some milliseconds, not 50. */
const PART_CHARACTERS = 8_192;
const END_OF_PART = /[\s",。、，]/g;
const SEPARATORS = /[^\p{L}\p{N}\p{Co}]+/u;
const COMBINING = /\p{M}+/gu;

/** The marks of SQLite, plus the server that ran it and the class of its duration. */
export type SharedCall = MarkedCall & { readonly instance: string | null };

export function blockOf(seq: number): number {
  return Math.floor(seq / BLOCK_CALLS);
}

/** Words in the form of the index: lower case, without combining marks. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(COMBINING, '').toLowerCase();
}

/** The literal of a tsvector: each word with its positions, and marks. */
export function vectorOf(seq: number, text: string, call: SharedCall): string {
  const block = blockOf(seq);
  const positions = new Map<string, number[]>();
  let at = 0;
  let bytes = 0;
  for (const part of splitText(text)) {
    const word = part.slice(0, WORD_CHARACTERS_MOST).toWellFormed();
    const known = positions.get(word);
    at += 1;
    bytes += POSITION_BYTES + (known === undefined ? TERM_BYTES + Buffer.byteLength(word) : 0);
    if (at > WORDS_MOST || bytes > VECTOR_BYTES_MOST) break;
    if (known === undefined) positions.set(word, [at]);
    else if (known.length < POSITIONS_MOST) known.push(at);
  }
  const { duration_us: duration, instance } = call;
  const marks = [
    ...marksOf(call).map(short),
    ...(instance === null ? [] : [short(markOf('instance', instance))]),
    ...(duration === null ? [] : [durationMark(durationClass(duration))]),
  ];
  return [
    `'${FORMAT_TERM}'`,
    ...marks.map((mark) => `'${block}=${mark}'`),
    ...[...positions].map(([word, all]) => `'${block}-${word}':${all.join(',')}`),
  ].join(' ');
}

function* splitText(text: string): Generator<string> {
  for (let from = 0, to = 0; from < text.length; from = to) {
    END_OF_PART.lastIndex = from + PART_CHARACTERS;
    // With the separator: the end of a run is recognized by it.
    to = END_OF_PART.exec(text) === null ? text.length : END_OF_PART.lastIndex;
    for (const word of plain(splitUnspaced(text.slice(from, to))).split(SEPARATORS)) if (word !== '') yield word;
  }
}

/** All words, each as a prefix, and the marks of the filter, with a placeholder for the block. Empty: no terms. */
export function queryOf(words: readonly SearchWord[], filter: CallSelection): string {
  const { min_ms: least, max_ms: most, instance } = filter;
  const marks = [
    ...marksFor(filter).map((one) => one.map(short)),
    ...(instance === undefined ? [] : [[short(markOf('instance', instance))]]),
    ...(least === undefined && most === undefined ? [] : [durationsBetween(least, most)]),
  ];
  const marked = marks.map((one) => one.map((mark) => `'${BLOCK}=${mark}'`).join(' | '));
  return [...wordsOf(words, `${BLOCK}-`), ...marked].map((each) => `(${each})`).join(' & ');
}

/** The same in one of these blocks. */
export function queryIn(blocks: readonly number[], query: string): string {
  return blocks.map((block) => `(${query.replaceAll(BLOCK, String(block))})`).join(' | ');
}

/** In vectors of an older version, which have neither blocks nor marks. */
export function oldQueryOf(words: readonly SearchWord[]): string {
  return wordsOf(words, '')
    .map((word) => `(${word})`)
    .join(' & ');
}

/** The parts of one word are consecutive. */
function wordsOf(words: readonly SearchWord[], before: string): readonly string[] {
  const found = words.map((parts) =>
    plain(lettersOf(parts).join(' '))
      .split(SEPARATORS)
      .filter((part) => part !== '')
      .map((part, at, all) => `'${before}${part.slice(0, WORD_CHARACTERS_MOST)}'${at === all.length - 1 ? ':*' : ''}`)
      .join(' <-> '),
  );
  return [...new Set(found)].filter((word) => word !== '');
}

function durationsBetween(leastMs = 0, mostMs = Number.MAX_SAFE_INTEGER): readonly string[] {
  const first = durationClass(Math.round(leastMs * 1_000));
  const last = durationClass(Math.round(mostMs * 1_000));
  return Array.from({ length: Math.max(1, last - first + 1) }, (_, at) => durationMark(first + at));
}

function durationClass(us: number): number {
  return Math.min(DURATION_CLASSES, Math.floor(Math.log2(Math.max(1, us))));
}

function durationMark(found: number): string {
  return `d${found}`;
}

function short(mark: string): string {
  return mark.slice(...MARK_LETTERS);
}
