import { expect, test } from 'vitest';
import { sourceChanges } from './failure-sources.ts';

const lines = (count: number, change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, at) => `${change[at + 1] ?? `line ${at + 1}`}\n`).join('');

test('puts the file of the fault first, and in it the hunk that holds its line', () => {
  const before = { 'a.ts': lines(3), 'b.ts': lines(60), 'same.ts': 'same' };
  const after = {
    'a.ts': lines(3, { 1: 'other' }),
    'b.ts': lines(60, { 2: 'innocent', 50: 'guilty' }),
    'same.ts': 'same',
    'new.ts': 'new\n',
  };
  const changes = sourceChanges(before, after, { file: 'b.ts', line: 50 });
  expect(changes.map(({ path, change, guilty }) => [path, change, guilty])).toEqual([
    ['b.ts', 'changed', true],
    ['a.ts', 'changed', false],
    ['new.ts', 'added', false],
  ]);
  expect(changes[0]).toMatchObject({ added: 2, removed: 2 });
  expect(changes[0]?.hunks?.map((hunk) => [hunk.guilty, hunk.new_start])).toEqual([
    [true, 47],
    [false, 1],
  ]);
});

test('names a file that is gone, and keeps quiet about a missing end of line', () => {
  const [gone] = sourceChanges({ 'old.ts': 'last' }, {}, { file: null, line: null });
  expect(gone).toEqual({
    path: 'old.ts',
    change: 'removed',
    guilty: false,
    added: 0,
    removed: 1,
    hunks: [{ old_start: 1, new_start: 1, guilty: false, lines: [{ kind: 'removed', text: 'last' }] }],
  });
});

test('names two texts that are too different, without comparing them for ever', () => {
  const text = (seed: number): string => Array.from({ length: 20_000 }, (_, at) => `${(at * seed) % 9_973}`).join('\n');
  const [file] = sourceChanges({ 'big.ts': text(7) }, { 'big.ts': text(11) }, { file: 'big.ts', line: 1 });
  expect(file).toMatchObject({ path: 'big.ts', guilty: true, hunks: null });
});
