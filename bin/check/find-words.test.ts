import { expect, it } from 'vitest';
import { findWords, type WordReport } from './find-words.ts';

function reportOf(sources: Record<string, string>, notChecked: readonly string[] = []): WordReport {
  const exceptions = [{ file: /^lib\/chat\.ts$/, text: /chat room/, reason: 'people meet in one' }];
  return findWords(new Map(Object.entries(sources)), { exceptions, notChecked });
}

it('reports a term with file, line, sentence and replacement', () => {
  expect(reportOf({ 'README.md': '# Title\n\nThe gate refuses it.\n' }).violations).toEqual([
    'README.md:3 “gate” in “# Title The gate refuses it.”. Write: router, authentication, authorization.',
  ]);
});

it('checks comments, texts, templates, JSX and test names', () => {
  const { violations } = reportOf({
    'lib/a.ts': '// A spare waits.\nexport const a = `Mend ${1} of them`;\n/** By itself. */\nexport const b = "It is told";',
    'app/b.tsx': 'export const B = () => <p title="Time line">No advice</p>;',
    'lib/c.test.ts': "it('sends the whole list', () => {});",
    'extensions/d.py': '"""Write the whole text."""\nvalue = 1  # by itself\n',
  });
  expect(violations.map((line) => line.split('”')[0])).toEqual([
    'app/b.tsx:1 “Time line',
    'app/b.tsx:1 “advice',
    'extensions/d.py:1 “whole',
    'extensions/d.py:2 “by itself',
    'lib/a.ts:1 “spare',
    'lib/a.ts:2 “Mend',
    'lib/a.ts:3 “By itself',
    'lib/a.ts:4 “told',
    'lib/c.test.ts:1 “whole',
  ]);
});

it('skips identifiers, keys, paths, code in backticks, code blocks, quotes and links', () => {
  const { violations } = reportOf({
    'lib/a.ts': "import './gate.ts';\nexport const spare = { kind: 'spare', class: 'gate' }; // see `gate`",
    'docs/b.md':
      'See `gate`, [it](gate.md).\n\n```sh\ngate\n```\n\n> The gate says no.\n\n| 1 | `a.ts` › the gate is shut<br>`b.ts` › a gate | end |\n',
  });
  expect(violations).toEqual([]);
});

it('accepts exceptions, in their file and sentence only', () => {
  const { violations } = reportOf({ 'lib/chat.ts': '// A chat room.\n// A room.', 'lib/other.ts': '// A chat room.' });
  expect(violations.map((line) => line.split(' ')[0])).toEqual(['lib/chat.ts:2', 'lib/other.ts:1']);
});

it('passes folders that are not checked yet, and names those that are clean', () => {
  const sources = { 'lib/old/a.ts': '// A room.', 'lib/new/a.ts': '// A module.' };
  expect(reportOf(sources, ['lib/old', 'lib/new'])).toEqual({ violations: [], clean: ['lib/new'] });
});
