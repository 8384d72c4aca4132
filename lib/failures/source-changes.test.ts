import { expect, test } from 'vitest';
import { sourceChanges } from './failure-sources.ts';

const lines = (count: number, change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, at) => `${change[at + 1] ?? `line ${at + 1}`}\n`).join('');

test('lists the file with the fault first, and in it the hunk with the faulty line', () => {
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

test('lists a removed file, and ignores a missing newline at its end', () => {
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

test('lists a file whose texts are too different, without comparing lines', () => {
  const text = (seed: number): string => Array.from({ length: 20_000 }, (_, at) => `${(at * seed) % 9_973}`).join('\n');
  const [file] = sourceChanges({ 'big.ts': text(7) }, { 'big.ts': text(11) }, { file: 'big.ts', line: 1 });
  expect(file).toMatchObject({ path: 'big.ts', guilty: true, hunks: null });
});
