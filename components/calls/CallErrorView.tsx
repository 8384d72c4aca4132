'use client';

import { CircleMinus, CircleX } from 'lucide-react';
import { useState } from 'react';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { cx } from '#components/ui/cx.ts';
import type { CallError } from '#lib/contract/call.ts';
import { inThousands } from '#components/ui/in-thousands.ts';
import { pointerInWords } from '#components/ui/pointer-words.ts';
import { errorWords, furtherData, leadOf } from './call-words.ts';
import { withoutAnsi } from './result/ansi.ts';
import { AnsiText } from './result/AnsiText.tsx';
import { LazyResultView } from './result/LazyResultView.tsx';

/** A message may be thousands of characters; who wants to read on asks for it. */
const SHOWN_FIRST = 1_200;

/** Why a call did not succeed: the kind in words, the message, every issue with its place, further data. */
export function CallErrorView({ error, fileParts }: { error: CallError; fileParts: readonly string[] }) {
  const { word, means } = errorWords(error);
  const data = furtherData(error);
  const lead = leadOf(error);
  // The title above the issues says it.
  const isSaid = lead === `The ${word.toLowerCase()}:`;
  // Somebody wanted it so: no failure.
  const ended = error.kind === 'cancelled';
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className={cx('flex flex-col gap-1 rounded border px-4 py-3', ended ? 'bg-off-soft' : 'border-failed/40 bg-failed-soft')}>
        <div className="flex items-start gap-2">
          <p className={cx('flex min-w-0 flex-1 flex-wrap items-center gap-x-2 font-medium', ended ? 'text-off' : 'text-failed')}>
            {ended ? <CircleMinus aria-hidden className="size-4 shrink-0" /> : <CircleX aria-hidden className="size-4 shrink-0" />}
            {word}
            {ended ? null : <code className="text-xs font-normal">{error.kind}</code>}
          </p>
          {ended ? null : <CopyButton text={() => withoutAnsi(wordsOf(error))} label="Copy the message" className="-my-1 -mr-2" />}
        </div>
        {isSaid ? null : <Message text={lead} />}
        {error.issues === undefined || error.issues.length === 0 ? null : (
          <ul className="mt-1 flex flex-col gap-1 text-sm">
            {error.issues.map((issue) => (
              <li key={`${issue.path} ${issue.keyword} ${issue.message}`} className="flex min-w-0 flex-wrap gap-x-2">
                <span className="font-medium break-words" title={issue.path}>
                  {issue.path === '' ? 'The arguments as a whole' : pointerInWords(issue.path)}
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

function Message({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const isLong = text.length > SHOWN_FIRST;
  return (
    <>
      <p className="foreign">
        <AnsiText text={isLong && !whole ? `${text.slice(0, SHOWN_FIRST)}…` : text} />
      </p>
      {isLong ? (
        <button
          type="button"
          aria-expanded={whole}
          onClick={() => setWhole(!whole)}
          className="self-start rounded-sm text-sm font-medium underline underline-offset-2 pointer-coarse:min-h-11"
        >
          {whole ? 'Show less' : `Show all ${inThousands(text.length)} characters`}
        </button>
      ) : null}
    </>
  );
}

function wordsOf(error: CallError): string {
  return [leadOf(error), ...(error.issues ?? []).map(({ path, message }) => `- ${path === '' ? 'as a whole' : path}: ${message}`)].join(
    '\n',
  );
}
