'use client';

import { CircleMinus, CircleX } from 'lucide-react';
import { cx } from '#components/ui/cx.ts';
import type { CallError } from '#lib/contract/call.ts';
import { pointerInWords } from '#components/ui/pointer-words.ts';
import { errorWords, furtherData } from './call-words.ts';
import { AnsiText } from './result/AnsiText.tsx';
import { LazyResultView } from './result/LazyResultView.tsx';
import { visibleText } from './result/visible-text.ts';

/** Why a call did not succeed: the kind in words, the message, every issue with its place, further data. */
export function CallErrorView({ error, fileParts }: { error: CallError; fileParts: readonly string[] }) {
  const { word, means } = errorWords(error);
  const data = furtherData(error);
  // Somebody wanted it so: no failure.
  const ended = error.kind === 'cancelled';
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className={cx('flex flex-col gap-1 rounded border px-4 py-3', ended ? 'bg-off-soft' : 'border-failed/40 bg-failed-soft')}>
        <p className={cx('flex items-center gap-2 font-medium', ended ? 'text-off' : 'text-failed')}>
          {ended ? <CircleMinus aria-hidden className="size-4 shrink-0" /> : <CircleX aria-hidden className="size-4 shrink-0" />}
          {word}
          {ended ? null : <code className="text-xs font-normal">{error.kind}</code>}
        </p>
        <p className="foreign">
          <AnsiText text={error.message} />
        </p>
        {error.issues === undefined || error.issues.length === 0 ? null : (
          <ul className="mt-1 flex flex-col gap-1 text-sm">
            {error.issues.map((issue) => (
              <li key={`${issue.path} ${issue.keyword} ${issue.message}`} className="flex min-w-0 flex-wrap gap-x-2">
                <span className="font-medium break-words" title={issue.path}>
                  {issue.path === '' ? 'The arguments as a whole' : visibleText(pointerInWords(issue.path))}
                </span>
                <span className="foreign min-w-0">{issue.message}</span>
              </li>
            ))}
          </ul>
        )}
        <p className="text-sm text-muted">{means}</p>
      </div>
      {data === null ? null : <LazyResultView value={data} label="Data of the error" copyLabel="Copy the data" fileParts={fileParts} />}
    </div>
  );
}
