'use client';

import { WrapText } from 'lucide-react';
import { useState } from 'react';
import { ScrollPre } from '#components/ui/ScrollPre.tsx';
import { Button } from '#components/ui/Button.tsx';
import { cx } from '#components/ui/cx.ts';
import { Skeleton } from '#components/ui/QueryState.tsx';
import { AnsiText } from './AnsiText.tsx';
import { Choice } from './ResultControls.tsx';
import { looksLikeMarkdown } from './text-format.ts';
import { inThousands } from '#components/ui/numbers.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const Markdown = lazyPart(() => import('#components/ui/Markdown.tsx').then((module) => module.Markdown), <Skeleton lines={4} />);

const SHOWN_FIRST = 60_000;
const SHOWN_MORE = 500_000;
/** Longer text would block the page; the download is complete. */
const MAX_SHOWN = 2_000_000;
const MAX_RENDERED = 200_000;

export function TextView({ text, label }: { text: string; label: string }) {
  const [wraps, setWraps] = useState(true);
  const [max, setMax] = useState(SHOWN_FIRST);
  const shown = text.length <= max ? text : text.slice(0, max);
  if (text === '')
    return (
      <p role="region" aria-label={label} className="rounded border bg-subtle p-3 text-sm text-muted">
        Empty text
      </p>
    );
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="group/text relative min-w-0 rounded border bg-subtle">
        <ScrollPre label={label} className={cx('max-h-[60dvh] overflow-auto rounded p-3 pr-11 text-sm leading-5', wraps && 'foreign')}>
          <AnsiText text={shown} />
        </ScrollPre>
        <button
          type="button"
          aria-pressed={wraps}
          aria-label="Wrap lines"
          title="Wrap lines"
          onClick={() => setWraps(!wraps)}
          className={cx(
            'absolute top-1.5 right-1.5 inline-flex size-7 items-center justify-center rounded bg-subtle text-muted hover:bg-hover hover:text-fg pointer-coarse:size-10',
            wraps && 'text-accent',
          )}
        >
          <WrapText className="size-4" />
        </button>
      </div>
      {text.length <= max ? null : (
        <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
          <span className="tabular">
            The first {inThousands(max)} of {inThousands(text.length)} characters.
          </span>
          {max >= MAX_SHOWN ? (
            'Download the file for the full text.'
          ) : (
            <Button size="sm" onClick={() => setMax(Math.min(MAX_SHOWN, max + SHOWN_MORE))}>
              Show more
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

export function ReadableText({ text, label, markdown = false }: { text: string; label: string; markdown?: boolean }) {
  const canRender = text.length <= MAX_RENDERED && (markdown || looksLikeMarkdown(text));
  const [view, setView] = useState<'rendered' | 'text'>('rendered');
  if (!canRender) return <TextView text={text} label={label} />;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Choice
        label={`How ${label} is shown`}
        options={[
          { id: 'rendered', label: 'Rendered' },
          { id: 'text', label: 'Text' },
        ]}
        value={view}
        onChange={setView}
      />
      {view === 'text' ? (
        <TextView text={text} label={label} />
      ) : (
        <div tabIndex={0} role="region" aria-label={label} className="focus-inset max-h-[60dvh] overflow-auto rounded border p-3 text-base">
          <Markdown text={text} />
        </div>
      )}
    </div>
  );
}
