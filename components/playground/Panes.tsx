'use client';

import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useRef, useState } from 'react';
import { cx } from '#components/ui/cx.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { cookieInBrowser, writeCookie } from '#components/ui/write-cookie.ts';
import { EQUAL, FORM_WIDTH_COOKIE, LEAST, MOST, parseFormWidth, within } from './form-width.ts';

/*
 * Form and result side by side with a separator. Libraries for this give every pane its own scrolling; here the page scrolls, so
 * that the run bar sticks to the window and focused fields stay clear of it.
 */

const STEP = 2;
const LARGE_STEP = 10;

interface PanesProps {
  /** Width of the form in percent, as the server read it. */
  readonly formWidth: number;
  readonly style: Readonly<Record<string, string>>;
  readonly head: ReactNode;
  readonly form: ReactNode;
  readonly result: ReactNode;
}

export function Panes({ formWidth, style, head, form, result }: PanesProps) {
  const id = useId();
  const [width, setWidth] = useState(() => parseFormWidth(cookieInBrowser(FORM_WIDTH_COOKIE) ?? String(formWidth)));
  const columns: Readonly<Record<string, string>> = { '--form': `${width}fr`, '--result': `${100 - width}fr` };
  return (
    <div
      data-runs
      style={{ ...style, ...columns }}
      className="flex min-w-0 flex-col gap-4 lg:grid lg:grid-cols-[minmax(18rem,var(--form))_auto_minmax(18rem,var(--result))] lg:items-start lg:gap-x-0 lg:gap-y-4"
    >
      <div className="flex min-w-0 flex-col gap-4 lg:col-span-3">{head}</div>
      {/* Below lg there is one column, so that the sticky run bar reaches the bottom of the window. */}
      <div id={id} className="min-w-0 max-lg:contents">
        {form}
      </div>
      <Separator width={width} controls={id} onMove={setWidth} />
      <div className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-18">{result}</div>
    </div>
  );
}

interface SeparatorProps {
  readonly width: number;
  readonly controls: string;
  readonly onMove: (width: number) => void;
}

function Separator({ width, controls, onMove }: SeparatorProps) {
  const [isDragged, setDragged] = useState(false);
  const line = useRef<HTMLDivElement>(null);

  function keep(next: number) {
    onMove(within(next));
    writeCookie(FORM_WIDTH_COOKIE, within(next) === EQUAL ? null : String(within(next)));
  }

  function widthAt(event: PointerEvent): number {
    const around = line.current?.parentElement?.getBoundingClientRect();
    return around === undefined ? width : ((event.clientX - around.left) / Math.max(1, around.width)) * 100;
  }

  function moveByKey(event: KeyboardEvent) {
    const step = event.shiftKey ? LARGE_STEP : STEP;
    const next = { ArrowLeft: width - step, ArrowRight: width + step, Home: LEAST, End: MOST, Enter: EQUAL }[pressedKey(event)];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keep(next);
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a separator that moves is a control
    <div
      ref={line}
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the form"
      aria-controls={controls}
      aria-valuenow={width}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuetext={`${width}%`}
      title="Drag, or use the arrow keys. Double-click for equal widths."
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
      tabIndex={0}
      onKeyDown={moveByKey}
      onDoubleClick={() => keep(EQUAL)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragged(true);
      }}
      onPointerMove={(event) => isDragged && onMove(within(widthAt(event)))}
      onPointerUp={(event) => {
        if (isDragged) keep(widthAt(event));
        setDragged(false);
      }}
      onPointerCancel={() => setDragged(false)}
      className="group flex w-6 cursor-col-resize touch-none justify-center self-stretch rounded-sm select-none max-lg:hidden"
    >
      <span
        className={cx(
          'sticky top-[50dvh] h-10 w-1 self-start rounded-full bg-line-strong transition-colors group-hover:bg-accent group-focus-visible:bg-accent',
          isDragged && 'bg-accent',
        )}
      />
    </div>
  );
}
