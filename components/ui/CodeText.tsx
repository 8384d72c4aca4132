'use client';

import { useState } from 'react';
import { inThousands } from './numbers.ts';

export function LongText({ text, max = 420 }: { readonly text: string; readonly max?: number }) {
  const [whole, setWhole] = useState(false);
  const isLong = text.length > max;
  return (
    <p dir="auto" className="foreign max-w-prose">
      <CodeInText text={whole || !isLong ? text : `${text.slice(0, max)}… `} />
      {isLong ? (
        <button type="button" onClick={() => setWhole(!whole)} className="link font-medium text-fg">
          {whole ? ' Less' : 'More'}
        </button>
      ) : null}
    </p>
  );
}

interface ShowAllButtonProps {
  length: number;
  isExpanded: boolean;
  onExpanded: (isExpanded: boolean) => void;
}

export function ShowAllButton({ length, isExpanded, onExpanded }: ShowAllButtonProps) {
  return (
    <button
      type="button"
      aria-expanded={isExpanded}
      onClick={() => onExpanded(!isExpanded)}
      className="link self-start text-sm font-medium pointer-coarse:min-h-11"
    >
      {isExpanded ? 'Show less' : `Show all ${inThousands(length)} characters`}
    </button>
  );
}

/** A sentence in which `backticks` mark code. */
export function CodeText({ text }: { text: string }) {
  const parts = text.split('`');
  // An unpaired backtick is a plain character.
  if (parts.length % 2 === 0) return <>{text}</>;
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- parts of one text never move
          <code key={index} className="rounded-sm bg-hover px-1 text-[0.92em] leading-none">
            {part}
          </code>
        ),
      )}
    </>
  );
}

const CODE = /(`[^`\n]{1,200}`)/;

/** Foreign text as written; only text between backticks is rendered as code. */
export function CodeInText({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(CODE).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- parts of one text never move
          <code key={index} className="rounded-sm bg-subtle px-1 text-[0.92em] leading-none text-fg">
            {part.slice(1, -1)}
          </code>
        ),
      )}
    </>
  );
}
