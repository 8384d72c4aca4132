'use client';

import { useState } from 'react';
import { CodeInText } from '#components/ui/CodeInText.tsx';

const LONG = 320;

interface WordsProps {
  id: string;
  description: string | null;
  limits: string | null;
  because: string | null;
  /** Characters of the value that its field cannot show: `U+202E`. */
  invisible: readonly string[];
}

/** A field's description as it was written, and its limits. Foreign text: shown as text, with code as code, cut when it is very long. */
export function Words({ id, description, limits, because, invisible }: WordsProps) {
  const [whole, setWhole] = useState(false);
  const long = description !== null && description.length > LONG;
  return (
    <div id={id} className="flex flex-col text-xs text-muted empty:hidden">
      {description === null ? null : (
        <p className="foreign">
          <CodeInText text={long && !whole ? `${description.slice(0, LONG)}… ` : description} />
          {long ? (
            <button type="button" onClick={() => setWhole(!whole)} className="rounded-sm font-medium text-fg underline underline-offset-2">
              {whole ? ' Less' : 'More'}
            </button>
          ) : null}
        </p>
      )}
      {limits === null ? null : <p className="tabular">{limits.charAt(0).toUpperCase() + limits.slice(1)}</p>}
      {because === null ? null : <p className="foreign">{because}</p>}
      {invisible.length === 0 ? null : <p className="font-medium text-degraded">Contains invisible characters: {invisible.join(', ')}</p>}
    </div>
  );
}
