'use client';

import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ScrollPre } from './ScrollPre.tsx';
import { CodeBlock, Tokens } from './CodeBlock.tsx';
import { languageOf, useHighlighted } from './highlight.ts';
import { cx } from './cx.ts';
import { Button } from './Button.tsx';
import { ListLink } from './ListLink.tsx';

/** Line numbers stay visible when the code scrolls sideways. */
const gutter = 'sticky left-0 inline-block border-l-2 pr-3 pl-2 select-none';

const FRAME_STYLE = 'overflow-x-auto rounded border bg-panel py-2 text-sm leading-5';

/** Source around an error: line numbers, the failing line marked, and a caret, scrolled into view. */
export function CodeFrame({ frame, file }: { frame: string; file: string | null }) {
  const parsed = useMemo(() => parseCodeFrame(frame), [frame]);
  const label = file === null ? 'Source around the error' : `Source around the error in ${file}`;
  if (parsed !== null) return <NumberedCode label={label} {...parsed} file={file} />;
  return (
    <ScrollPre label={label} className={cx(FRAME_STYLE, 'px-3')}>
      {frame}
    </ScrollPre>
  );
}

export function NumberedCode({ label, lines, caret, file }: ParsedFrame & { label: string; file: string | null }) {
  const code = useMemo(() => lines.map((line) => line.code).join('\n'), [lines]);
  const coloured = useHighlighted(code, file === null ? null : languageOf(file));
  const mark = useRef<HTMLSpanElement>(null);

  useLayoutEffect(() => {
    const frameBox = mark.current?.closest('pre');
    if (mark.current === null || frameBox === null || frameBox === undefined) return;
    // Scrolls only the frame: `scrollIntoView` would also move the page.
    const right = mark.current.getBoundingClientRect().right - frameBox.getBoundingClientRect().left + frameBox.scrollLeft;
    frameBox.scrollLeft = right < frameBox.clientWidth ? 0 : right - frameBox.clientWidth / 2;
  }, [lines]);

  const width = Math.max(...lines.map((line) => String(line.number).length));
  return (
    <ScrollPre label={label} className={FRAME_STYLE}>
      <code className="block w-max min-w-full">
        {lines.map((line, index) => {
          const tokens = coloured?.[index];
          return (
            <span key={line.number} className="block">
              <span data-marked={line.marked || undefined} className={cx('block pr-4', line.marked && 'bg-failed-soft')}>
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
              {line.marked && caret !== null ? (
                <span aria-hidden className="block bg-failed-soft pr-4 font-bold text-failed">
                  <span className={cx(gutter, 'border-failed bg-failed-soft')}>{' '.repeat(width)}</span>
                  {' '.repeat(caret)}
                  <span ref={mark}>^</span>
                  {'\n'}
                </span>
              ) : null}
            </span>
          );
        })}
      </code>
    </ScrollPre>
  );
}

interface FrameLine {
  readonly number: number;
  readonly code: string;
  readonly marked: boolean;
}

interface ParsedFrame {
  readonly lines: readonly FrameLine[];
  /** Characters before the caret in the marked line; null for none. */
  readonly caret: number | null;
}

const SOURCE = /^(>?)\s*(\d+) \|(?: (.*))?$/;
const CARET = /^\s*\| (\s*)\^/;

/** Parses `  3 | code` lines with the marked line and its caret; null for other texts. */
export function parseCodeFrame(text: string): ParsedFrame | null {
  const lines: FrameLine[] = [];
  let caret: number | null = null;
  for (const line of text.split('\n')) {
    const source = SOURCE.exec(line);
    if (source !== null) {
      lines.push({ number: Number(source[2]), code: source[3] ?? '', marked: source[1] === '>' });
      continue;
    }
    const mark = CARET.exec(line);
    if (mark !== null) caret = mark[1]?.length ?? 0;
    else if (line.trim() !== '') return null;
  }
  return lines.length === 0 ? null : { lines, caret };
}

/** Frames of the extension; those of runtime and packages are folded. */
export function StackTrace({ stack, title = 'Stack' }: { stack: string; title?: string | null }) {
  const { own, rest } = splitStack(stack);
  const [open, setOpen] = useState(false);
  return (
    <div className="flex flex-col items-start gap-1">
      {title === null ? null : <h3 className="text-sm font-medium text-muted">{title}</h3>}
      <ScrollPre label="Stack" className="foreign max-h-80 w-full overflow-y-auto rounded border bg-subtle p-3 text-sm leading-5">
        {own}
        {open && rest.length > 0 ? <span className="text-muted">{`\n${rest.join('\n')}`}</span> : null}
      </ScrollPre>
      {rest.length === 0 ? null : (
        <Button size="sm" variant="quiet" aria-expanded={open} onClick={() => setOpen(!open)} className="text-muted">
          {open ? 'Hide' : 'Show'} {rest.length} {rest.length === 1 ? 'frame' : 'frames'} of the runtime and packages
        </Button>
      )}
    </div>
  );
}

interface SplitStack {
  readonly own: string;
  readonly rest: readonly string[];
}

const FRAME = /^\s+at (?:async )?(.*)$/;
const IN_BRACKETS = /\(([^()]*)\)$/;

export function splitStack(stack: string): SplitStack {
  const own: string[] = [];
  const rest: string[] = [];
  for (const line of stack.split('\n')) {
    if (isForeign(line)) rest.push(line);
    else own.push(line);
  }
  return { own: own.join('\n').trimEnd(), rest };
}

function isForeign(line: string): boolean {
  const frame = FRAME.exec(line)?.[1];
  if (frame === undefined) return false;
  const place = IN_BRACKETS.exec(frame)?.[1] ?? frame;
  return place.startsWith('node:') || place.includes('node_modules/') || place === '<anonymous>' || place === 'native';
}

interface FailedCheckItem {
  readonly name: string;
  readonly tool: string;
  /** Link for running, changing or deleting it. */
  readonly href: string;
  readonly reason: string;
  readonly expected: string;
  /** Null if the tool was not called. */
  readonly actual: string | null;
}

export function FailedCheckList({ checks }: { checks: readonly FailedCheckItem[] }) {
  return (
    <ul aria-label="Failed checks" className="flex min-w-0 flex-col gap-3">
      {checks.map(({ name, tool, href, reason, expected, actual }) => (
        <li key={href} className="flex min-w-0 flex-col gap-2 rounded border p-3">
          <p className="min-w-0 break-words">
            <ListLink href={href} className="link font-medium">
              {name}
            </ListLink>{' '}
            <span className="text-muted">
              of <code>{tool}</code>
            </span>
          </p>
          <p className="foreign text-failed">{reason}</p>
          <div className="grid min-w-0 gap-2 md:grid-cols-2">
            <Side title="Expected" text={expected} label={`Expected result of ${name}`} />
            {actual === null ? (
              <p className="text-sm text-muted">The tool was not called.</p>
            ) : (
              <Side title="Actual" text={actual} label={`Actual result of ${name}`} />
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Side({ title, text, label }: { title: string; text: string; label: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="text-sm font-medium text-muted">{title}</p>
      <CodeBlock code={text} language="json" label={label} copyLabel={null} wrap className="[&_pre]:max-h-60" />
    </div>
  );
}
