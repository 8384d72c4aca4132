import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/** The pages name a test for each guarantee, by its file and its name in the source. */
const ROOT = path.resolve(import.meta.dirname, '../..');

interface Row {
  readonly id: string;
  readonly promised: string;
  readonly tests: readonly { readonly file: string; readonly name: string }[];
}

function rowsOf(page: string, id: RegExp): readonly Row[] {
  return readFileSync(path.join(ROOT, 'docs', page), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length === 6 && id.test(cells[1] ?? ''))
    .map((cells) => ({ id: cells[1] ?? '', promised: cells[3] ?? '', tests: testsIn(cells[4] ?? '') }));
}

function testsIn(cell: string): Row['tests'] {
  return cell.split('<br>').flatMap((part) => {
    const [, file, name] = /^`([^`]+)` › (.+)$/.exec(part) ?? [];
    if (file === undefined || name === undefined) return part === '' ? [] : [{ file: part, name: '' }];
    return [{ file, name }];
  });
}

/** Whether the file contains the name as a string literal. */
function isNamed(file: string, name: string): boolean {
  const text = existsSync(path.join(ROOT, file)) ? readFileSync(path.join(ROOT, file), 'utf8') : '';
  return [`'${name.replaceAll("'", "\\'")}'`, `"${name}"`, `\`${name}\``].some((written) => text.includes(written));
}

describe.each([
  ['faults.md', /^(F\d+(, F\d+)*)?$/, 30],
  ['security.md', /^A\d+(, A\d+)*$/, 17],
] as const)('docs/%s', (page, id, least) => {
  const rows = rowsOf(page, id).filter(({ promised }) => !/^(promised|-*)$/.test(promised));

  it('has all rows, each with a unique number', () => {
    expect(rows.length).toBeGreaterThanOrEqual(least);
    const ids = rows.map((row) => row.id).filter((one) => one !== '');
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(rows.map((row) => [row.id || row.promised, row] as const))('names existing tests for %s, or marks it as to come', (_, row) => {
    if (row.promised.startsWith('to come')) return expect(row.tests).toEqual([]);
    expect(row.tests.length).toBeGreaterThan(0);
    expect(row.tests.filter(({ file, name }) => !isNamed(file, name))).toEqual([]);
  });
});
