'use client';

import { useState } from 'react';
import { CodeInText } from './CodeText.tsx';

const LONG = 420;

/** A long description: its beginning, and all of it on request. */
export function LongText({ text }: { readonly text: string }) {
  const [whole, setWhole] = useState(false);
  const isLong = text.length > LONG;
  return (
    <p dir="auto" className="foreign max-w-prose">
      <CodeInText text={whole || !isLong ? text : `${text.slice(0, LONG)}… `} />
      {isLong ? (
        <button type="button" onClick={() => setWhole(!whole)} className="rounded-sm font-medium text-fg underline underline-offset-2">
          {whole ? ' Less' : 'More'}
        </button>
      ) : null}
    </p>
  );
}
