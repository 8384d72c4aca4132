'use client';

import { Fragment } from 'react';
import { ScrollPre } from './ScrollPre.tsx';
import { CopyButton } from './CopyButton.tsx';
import type { CodeLanguage, CodeLine } from './highlight.ts';
import { useHighlighted } from './highlight.ts';
import { cx } from './cx.ts';
import { escapeInvisible } from './visible-text.ts';

export interface CodeBlockProps {
  code: string;
  language?: CodeLanguage | null;
  label: string;
  copyLabel?: string | null;
  wrap?: boolean;
  className?: string;
}

/** Text, highlighted once the highlighter is loaded. Never HTML. */
export function CodeBlock({ code, language = null, label, copyLabel = 'Copy', wrap = false, className }: CodeBlockProps) {
  const shown = language === 'json' ? escapeInvisible(code) : code;
  const lines = useHighlighted(shown, language);
  return (
    <div className={cx('group/code relative min-w-0 rounded border bg-subtle', className)}>
      <ScrollPre
        label={label}
        className={cx('max-h-[60dvh] overflow-auto rounded p-3 pr-11 text-sm leading-5', wrap && 'break-words whitespace-pre-wrap')}
      >
        <code>
          {lines === null
            ? shown
            : lines.map((line) => (
                <Fragment key={line.number}>
                  {line.number > 1 ? '\n' : null}
                  <Tokens line={line} />
                </Fragment>
              ))}
        </code>
      </ScrollPre>
      {copyLabel === null ? null : <CopyButton text={code} label={copyLabel} className="absolute top-1.5 right-1.5 bg-subtle" />}
    </div>
  );
}

export function Tokens({ line }: { line: CodeLine }) {
  return line.tokens.map((token) =>
    token.className === null ? (
      <Fragment key={token.at}>{token.text}</Fragment>
    ) : (
      <span key={token.at} className={token.className}>
        {token.text}
      </span>
    ),
  );
}
