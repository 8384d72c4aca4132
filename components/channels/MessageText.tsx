'use client';

import { useState } from 'react';
import { cx } from '#components/ui/cx.ts';
import { isData, isLong } from './conversation.ts';
import { inThousands } from '#components/ui/in-thousands.ts';

/** What somebody wrote: text and nothing else, with its own line breaks and direction; a long one is folded. */
export function MessageText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const long = isLong(text);
  return (
    <>
      <p dir="auto" className={cx('foreign', isData(text) && 'font-mono text-sm', long && !whole && 'line-clamp-[12]')}>
        {text}
      </p>
      {long ? (
        <button
          type="button"
          aria-expanded={whole}
          onClick={() => setWhole(!whole)}
          className="mt-1 rounded-sm text-sm font-medium underline underline-offset-2 pointer-coarse:min-h-8"
        >
          {whole ? 'Show less' : `Show all ${inThousands(text.length)} characters`}
        </button>
      ) : null}
    </>
  );
}
