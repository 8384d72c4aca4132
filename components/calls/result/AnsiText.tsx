import { useMemo } from 'react';
import { parseAnsi } from './ansi.ts';

/** Foreign text with the colours of a terminal, as text and nothing else. */
export function AnsiText({ text }: { text: string }) {
  const runs = useMemo(() => parseAnsi(text), [text]);
  return (
    <>
      {runs.map((run) =>
        run.className === '' ? (
          run.text
        ) : (
          <span key={run.at} className={run.className}>
            {run.text}
          </span>
        ),
      )}
    </>
  );
}
