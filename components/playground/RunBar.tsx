'use client';

import { CircleAlert, Play } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { type CallToCopy, CopyAsMenu } from '#components/calls/CopyAsMenu.tsx';
import { useBrowserValue } from '#components/ui/browser-value.ts';
import { Button } from '#components/ui/Button.tsx';
import { Input } from '#components/ui/Field.tsx';
import { Kbd } from '#components/ui/Kbd.tsx';
import { ReadOnlyNote } from '#components/ui/Note.tsx';
import { cx } from '#components/ui/cx.ts';
import type { Tool } from '#lib/contract/tool.ts';

interface WrongValue {
  readonly pointer: string;
  readonly words: string;
  readonly reason: string;
}

interface RunBarProps {
  tool: Tool;
  timeoutMs: number;
  mayNot: string | null;
  timeout: string;
  timeoutProblem: string | null;
  onTimeout: (text: string) => void;
  pending: boolean;
  problem: string | null;
  wrong: readonly WrongValue[];
  waiting: boolean;
  onGo: (pointer: string) => void;
  onRun: () => void;
  /** Null while the arguments are invalid. */
  copied: Omit<CallToCopy, 'origin'> | null;
}

const MAX_NAMED = 6;
const MAX_REASONS = 2;
const CLEAR_PX = 16;

export function RunBar({
  tool,
  timeoutMs,
  mayNot,
  timeout,
  timeoutProblem,
  onTimeout,
  pending,
  problem,
  wrong,
  waiting,
  onGo,
  onRun,
  copied,
}: RunBarProps) {
  const mac = useBrowserValue(() => /Mac|iPhone|iPad/.test(navigator.platform), false);
  const bar = useRef<HTMLDivElement>(null);

  // The scroll padding follows the height of the bar, so that focused fields are not covered.
  useEffect(() => {
    const element = bar.current;
    if (element === null) return;
    const root = document.documentElement;
    const observer = new ResizeObserver(() => {
      const clear = `${element.offsetHeight + CLEAR_PX}px`;
      if (getComputedStyle(root).getPropertyValue('--run-bar') !== clear) root.style.setProperty('--run-bar', clear);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      root.style.removeProperty('--run-bar');
    };
  }, []);

  return (
    <div
      ref={bar}
      data-run-bar
      className="sticky bottom-0 z-10 -mx-4 flex flex-col gap-2 border-t bg-canvas px-4 py-3 max-lg:order-last max-md:bottom-[calc(3.5rem+env(safe-area-inset-bottom))] max-md:-mb-10 max-md:bg-panel md:max-lg:-mb-8 lg:mx-0 lg:px-0"
    >
      <div role="status" className="flex flex-col gap-1 empty:hidden">
        {problem === null ? null : <p className="foreign text-sm font-medium text-failed">{problem}</p>}
        {waiting ? <p className="text-sm font-medium text-failed">Invalid JSON. Fix it or discard the edit.</p> : null}
        {wrong.length === 0 ? null : (
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
            <span className="inline-flex items-center gap-2 font-medium text-failed">
              <CircleAlert className="size-3.5 shrink-0" />
              {wrong.length === 1 ? 'One value needs attention:' : `${wrong.length} values need attention:`}
            </span>
            {wrong.slice(0, MAX_NAMED).map(({ pointer, words, reason }) => (
              <span
                key={pointer}
                className={cx('inline-flex max-w-full flex-wrap gap-x-2', wrong.length > 1 && wrong.length <= MAX_REASONS && 'basis-full')}
              >
                <button type="button" onClick={() => onGo(pointer)} className="link max-w-full truncate">
                  {words}
                </button>
                {wrong.length > MAX_REASONS ? null : <span className="foreign text-muted">{reason}</span>}
              </span>
            ))}
            {wrong.length > MAX_NAMED ? <span className="text-muted">and {wrong.length - MAX_NAMED} more</span> : null}
          </p>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {mayNot === null ? (
          <>
            <Button
              variant="primary"
              pending={pending}
              icon={<Play />}
              disabled={!tool.available}
              // Ignores the second click of a double click.
              onClick={(event) => event.detail < 2 && onRun()}
              aria-keyshortcuts={mac ? 'Meta+Enter' : 'Control+Enter'}
              className="min-w-24"
            >
              Run
            </Button>
            <span className="text-xs whitespace-nowrap text-muted max-sm:hidden">
              <Kbd>{mac ? '⌘' : 'Ctrl'}</Kbd> <Kbd>↵</Kbd>
            </span>
          </>
        ) : (
          <ReadOnlyNote className="flex-1 basis-60">{mayNot}</ReadOnlyNote>
        )}
        {copied === null ? null : <CopyAsMenu call={copied} compact />}
        {mayNot === null ? (
          <span className="ml-auto flex items-center gap-2">
            <label htmlFor="run-timeout" className="text-sm whitespace-nowrap text-muted">
              Timeout (s)
            </label>
            <Input
              id="run-timeout"
              data-timeout
              inputMode="decimal"
              autoComplete="off"
              placeholder={String(timeoutMs / 1_000)}
              value={timeout}
              aria-invalid={timeoutProblem !== null || undefined}
              aria-describedby="run-timeout-problem"
              onChange={(event) => onTimeout(event.target.value)}
              className="tabular w-16"
            />
          </span>
        ) : null}
      </div>
      <p id="run-timeout-problem" className="text-right text-xs font-medium text-failed empty:hidden">
        {timeoutProblem}
      </p>
    </div>
  );
}
