'use client';

import { useLayoutEffect, useMemo, useRef } from 'react';
import { Tokens } from './CodeBlock.tsx';
import { parseCodeFrame } from './code-frame.ts';
import { languageOf } from './code-language.ts';
import { cx } from './cx.ts';
import { useHighlighted } from './use-highlighted.ts';

/** Line numbers stay visible when the code scrolls sideways. */
const gutter = 'sticky left-0 inline-block border-l-2 pr-3 pl-2.5 select-none';

/** Source around an error: line numbers, the failing line marked, and a caret, scrolled into view. */
export function CodeFrame({ frame, file, className }: { frame: string; file: string | null; className?: string }) {
  const parsed = useMemo(() => parseCodeFrame(frame), [frame]);
  const code = parsed === null ? frame : parsed.lines.map((line) => line.code).join('\n');
  const coloured = useHighlighted(code, file === null || parsed === null ? null : languageOf(file));
  const caret = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const mark = caret.current;
    const frameBox = mark?.closest('pre');
    if (mark === null || frameBox === null || frameBox === undefined) return;
    // Scrolls only the frame: `scrollIntoView` would also move the page.
    const right = mark.getBoundingClientRect().right - frameBox.getBoundingClientRect().left + frameBox.scrollLeft;
    frameBox.scrollLeft = right < frameBox.clientWidth ? 0 : right - frameBox.clientWidth / 2;
  }, [parsed]);
  const box = cx('focus-inset overflow-x-auto rounded border bg-panel py-2 text-sm leading-5', className);
  const label = file === null ? 'Source around the error' : `Source around the error in ${file}`;
  if (parsed === null) {
    return (
      <pre tabIndex={0} role="region" aria-label={label} className={cx(box, 'px-3')}>
        {frame}
      </pre>
    );
  }
  const width = Math.max(...parsed.lines.map((line) => String(line.number).length));
  return (
    <pre tabIndex={0} role="region" aria-label={label} className={box}>
      <code className="block w-max min-w-full">
        {parsed.lines.map((line, index) => {
          const tokens = coloured?.[index];
          return (
            <span key={line.number} className="block">
              <span className={cx('block pr-4', line.marked && 'bg-failed-soft')}>
                <span
                  className={cx(
                    gutter,
                    line.marked ? 'border-failed bg-failed-soft font-semibold text-failed' : 'border-transparent bg-panel text-muted',
                  )}
                >
                  <span className="sr-only">{line.marked ? 'fault in line ' : 'line '}</span>
                  {String(line.number).padStart(width)}
                </span>
                {tokens === undefined ? line.code : <Tokens line={tokens} />}
                {'\n'}
              </span>
              {line.marked && parsed.caret !== null ? (
                <span aria-hidden className="block bg-failed-soft pr-4 font-bold text-failed">
                  <span className={cx(gutter, 'border-failed bg-failed-soft')}>{' '.repeat(width)}</span>
                  {' '.repeat(parsed.caret)}
                  <span ref={caret}>^</span>
                  {'\n'}
                </span>
              ) : null}
            </span>
          );
        })}
      </code>
    </pre>
  );
}
