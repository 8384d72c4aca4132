import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CALL_ERROR_KINDS } from './call.ts';
import { FAILURE_CODES } from './failure-codes.ts';
import { PROBLEMS } from './problems.ts';

interface Entry {
  readonly code: string;
  readonly text: string;
}

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

/** The entries below one heading of the second level, in order. */
function entriesOf(section: string): readonly Entry[] {
  const body = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  return body
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      return { code: /^`(\w+)`$/.exec(heading)?.[1] ?? `not a code: ${heading}`, text: lines.join('\n').trim() };
    });
}

const codesOf = (entries: readonly Entry[]) => entries.map(({ code }) => code);
const sections = {
  failures: entriesOf('Load failures'),
  problems: entriesOf('Refused requests'),
  kinds: entriesOf('Errors of calls'),
};

describe('docs/errors.md', () => {
  it('has an entry for each failure code in the order of the table, and no other', () => {
    expect(codesOf(sections.failures)).toEqual(Object.keys(FAILURE_CODES));
  });

  it('has an entry for each problem code in the order of the table, and no other', () => {
    expect(codesOf(sections.problems)).toEqual(Object.keys(PROBLEMS));
  });

  it('has an entry for each kind of call error in the order of the list, and no other', () => {
    expect(codesOf(sections.kinds)).toEqual([...CALL_ERROR_KINDS]);
  });

  it.each(Object.entries(FAILURE_CODES))('names the stage of %s, and explains it', (code, { stage }) => {
    const text = sections.failures.find((entry) => entry.code === code)?.text ?? '';
    expect(text).toMatch(new RegExp(`^Stage \`${stage}\`\\. \\S.{20}`));
  });

  it.each(Object.entries(PROBLEMS))('names the status of %s, and explains it', (code, { status }) => {
    const text = sections.problems.find((entry) => entry.code === code)?.text ?? '';
    expect(text).toMatch(new RegExp(`^Status ${status}\\. \\S.{20}`));
  });

  it.each(sections.kinds)('explains $code', ({ text }) => {
    expect(text).toMatch(/^\S.{20}/);
  });

  it('gives each problem code the anchor of its `type`, also when a call error has the same name', () => {
    const inOrder = [...sections.failures, ...sections.problems, ...sections.kinds];
    expect(sections.problems.filter((entry) => inOrder.find(({ code }) => code === entry.code) !== entry)).toEqual([]);
  });
});
