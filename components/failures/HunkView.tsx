'use client';

import { useMemo } from 'react';
import { Tokens } from '#components/ui/CodeBlock.tsx';
import { languageOf } from '#components/ui/code-language.ts';
import { cx } from '#components/ui/cx.ts';
import { useHighlighted } from '#components/ui/use-highlighted.ts';
import type { Hunk } from '#lib/contract/failure-group.ts';
import { numberLines } from './hunk-lines.ts';

const LOOKS = {
  same: { row: '', sign: ' ', words: '' },
  added: { row: 'bg-ok-soft', sign: '+', words: 'added ' },
  removed: { row: 'bg-failed-soft', sign: '−', words: 'removed ' },
} as const;

/** Some lines of a comparison, with the numbers they had and have; the line of the fault is marked. */
export function HunkView({ hunk, file, faultLine }: { hunk: Hunk; file: string; faultLine: number | null }) {
  const lines = useMemo(() => numberLines(hunk), [hunk]);
  const coloured = useHighlighted(
    useMemo(() => hunk.lines.map((line) => line.text).join('\n'), [hunk]),
    languageOf(file),
  );
  const width = Math.max(2, String(lines.at(-1)?.after ?? 0).length, String(lines.at(-1)?.before ?? 0).length);
  const at = `line ${hunk.new_start} on`;
  return (
    <div className="min-w-0 border-b last:border-b-0">
      <p className={cx('px-4 py-1 text-xs', hunk.guilty ? 'bg-failed-soft font-medium text-failed' : 'bg-subtle text-muted')}>
        {hunk.guilty ? `Most suspicious: it holds the line of the fault (${at})` : `From ${at}`}
      </p>
      <pre
        tabIndex={0}
        role="region"
        aria-label={`Changes of ${file}, ${at}`}
        className="focus-inset overflow-x-auto py-1 text-sm leading-5"
      >
        <code className="block w-max min-w-full">
          {lines.map((line, index) => {
            const look = LOOKS[line.kind];
            const isFault = line.after !== null && line.after === faultLine;
            const tokens = coloured?.[index];
            return (
              <span key={line.key} className={cx('block border-l-2 pr-4', look.row, isFault ? 'border-failed' : 'border-transparent')}>
                <span aria-hidden className={cx('inline-block pl-2 select-none', isFault ? 'font-semibold text-failed' : 'text-muted')}>
                  {String(line.before ?? '').padStart(width)} {String(line.after ?? '').padStart(width)} {look.sign}{' '}
                </span>
                <span className="sr-only">
                  {isFault ? 'fault, ' : ''}
                  {look.words}
                </span>
                {tokens === undefined ? line.text : <Tokens line={tokens} />}
                {'\n'}
              </span>
            );
          })}
        </code>
      </pre>
    </div>
  );
}
