'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Tokens } from '#components/ui/CodeBlock.tsx';
import { languageOf } from '#components/ui/code-language.ts';
import { cx } from '#components/ui/cx.ts';
import { Dialog } from '#components/ui/Dialog.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { useHighlighted } from '#components/ui/use-highlighted.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import type { FailureSource } from '#lib/contract/failure-group.ts';

/** The whole file of the fault as it was when it failed, opened at its line. */
export function SourceDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, refetch, isFetching } = useQuery(failureQueries.source(id));
  return (
    <Dialog
      open
      wide
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
      title={data === undefined ? 'Source' : data.line === null ? data.file : `${data.file}:${data.line}`}
      description={data === undefined ? 'The file of the fault, as it was when it failed.' : `As revision ${data.revision ?? '–'} had it.`}
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton lines={8} label="Reading the source…" />
        ) : (
          <ErrorState title="The source cannot be shown" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
        )
      ) : (
        <SourceText source={data} />
      )}
    </Dialog>
  );
}

function SourceText({ source }: { source: FailureSource }) {
  const coloured = useHighlighted(source.text, languageOf(source.file));
  const lines = source.text.replace(/\n$/, '').split('\n');
  const width = String(lines.length).length;
  const marked = useRef<HTMLSpanElement>(null);

  useEffect(() => {
    marked.current?.scrollIntoView({ block: 'center' });
  }, []);

  return (
    <pre
      tabIndex={0}
      role="region"
      aria-label={`Source of ${source.file}`}
      className="focus-inset overflow-x-auto rounded border bg-panel py-2 text-sm leading-5"
    >
      <code className="block w-max min-w-full">
        {lines.map((text, index) => {
          const number = index + 1;
          const isFault = number === source.line;
          const tokens = coloured?.[index];
          return (
            <span key={number} {...(isFault ? { ref: marked } : {})} className={cx('block pr-4', isFault && 'bg-failed-soft')}>
              <span
                className={cx(
                  'mr-3 inline-block border-l-2 pl-2.5 select-none',
                  isFault ? 'border-failed font-semibold text-failed' : 'border-transparent text-muted',
                )}
              >
                <span className="sr-only">{isFault ? 'fault in line ' : 'line '}</span>
                {String(number).padStart(width)}
              </span>
              {tokens === undefined ? text : <Tokens line={tokens} />}
              {'\n'}
            </span>
          );
        })}
      </code>
    </pre>
  );
}
