import { describe, expect, it } from 'vitest';
import { type DiffLine, diffRows, type DiffRows, foldRows } from './DiffView.tsx';

const textOf = (line: DiffLine | null) =>
  line === null ? null : `${line.number}:${line.parts.map((part) => (part.changed ? `[${part.text}]` : part.text)).join('')}`;
const shown = ({ rows }: DiffRows) => rows.map((row) => [row.kind, textOf(row.before), textOf(row.after)]);

describe('a side-by-side diff', () => {
  it('pairs a changed line with its old version, and marks the differing words', () => {
    expect(shown(diffRows('a\nnights: 1\nc', 'a\nnights: 99\nc'))).toEqual([
      ['same', '1:a', '1:a'],
      ['changed', '2:nights: [1]', '2:nights: [99]'],
      ['same', '3:c', '3:c'],
    ]);
  });

  it('leaves the other side empty for lines that were only added or removed', () => {
    expect(shown(diffRows('a\nb', 'b\nc\nd'))).toEqual([
      ['changed', '1:[a]', null],
      ['same', '2:b', '1:b'],
      ['changed', null, '2:[c]'],
      ['changed', null, '3:[d]'],
    ]);
    expect(shown(diffRows('', 'x'))).toEqual([['changed', null, '1:[x]']]);
    expect(shown(diffRows('', ''))).toEqual([]);
  });

  it('ignores a trailing line end', () => {
    expect(shown(diffRows('a\n', 'a'))).toEqual([['same', '1:a', '1:a']]);
  });

  it('shows the first differences of very different long texts, and counts the rest', () => {
    const lines = (word: string) => ['the same', ...Array.from({ length: 5_000 }, (_, index) => `${word} ${index}`)].join('\n');
    const { rows, left } = diffRows(lines('one'), lines('two'));
    expect(shown({ rows: rows.slice(0, 2), left })).toEqual([
      ['same', '1:the same', '1:the same'],
      ['changed', '2:[one] 0', '2:[two] 0'],
    ]);
    expect(left).toEqual({ before: 4_000, after: 4_000 });
  });
});

describe('folding', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
  const rowsWith = (...changed: number[]) =>
    diffRows(lines.join('\n'), lines.map((line, index) => (changed.includes(index + 1) ? `${line}!` : line)).join('\n')).rows;

  it('keeps three lines around each change and counts the others', () => {
    expect(foldRows(rowsWith(10, 20)).map((block) => [block.kind, block.at, block.rows.length])).toEqual([
      ['folded', 0, 6],
      ['rows', 6, 7],
      ['folded', 13, 3],
      ['rows', 16, 7],
      ['folded', 23, 7],
    ]);
  });

  it('does not fold a line or two', () => {
    expect(foldRows(rowsWith(6)).map((block) => block.kind)).toEqual(['rows', 'rows', 'folded']);
  });

  it('folds everything for equal texts', () => {
    expect(foldRows(rowsWith()).map((block) => [block.kind, block.rows.length])).toEqual([['folded', 30]]);
  });
});
