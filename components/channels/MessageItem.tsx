'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowDownLeft, ArrowUpRight, ChevronRight, CornerUpLeft, FlaskConical, RotateCw } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { ShowAllButton } from '#components/ui/CodeText.tsx';
import { Badge, StateText } from '#components/ui/Badge.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { TransientButton } from '#components/ui/TransientButton.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { Duration, RelativeTime, RunningDuration } from '#components/ui/RelativeTime.tsx';
import { cx } from '#components/ui/cx.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { useResendMessage } from '#lib/client/mutations.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import type { Message } from '#lib/contract/channel.ts';
import { PAGES } from '#lib/contract/paths.ts';

export function recentSenders(messages: readonly Message[], max = 12): readonly string[] {
  const senders = messages.filter((message) => message.direction === 'in').map((message) => message.sender);
  return [...new Set(senders)].slice(0, max);
}

const LONG_TEXT = 1_200;
const LONG_LINES = 14;

export function isLong(text: string): boolean {
  return text.length > LONG_TEXT || text.split('\n', LONG_LINES + 1).length > LONG_LINES;
}

const MAX_JSON_LENGTH = 20_000;

/** Data is shown in a monospaced font. */
export function isData(text: string): boolean {
  if (text.length > MAX_JSON_LENGTH || !/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function lineOf(text: string, max = 90): string {
  const line = text
    .slice(0, max * 2)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > max || text.length > max * 2 ? `${line.slice(0, max)}…` : line;
}

export function lengthState(length: number, max: number): 'fine' | 'near' | 'over' {
  if (length > max) return 'over';
  return length >= max * 0.9 ? 'near' : 'fine';
}

interface MessageItemProps {
  message: Message;
  own: boolean;
  answers: Message | null;
  /** Then the reply explains why a command did not run. */
  answered: boolean;
  onGoTo: (id: string) => void;
  onAnswer?: ((sender: string) => void) | undefined;
}

export function MessageItem({ message, own, answers, answered, onGoTo, onAnswer }: MessageItemProps) {
  const inbound = message.direction === 'in';
  const notRun = inbound && message.error !== null && answered;
  const Arrow = inbound ? ArrowDownLeft : ArrowUpRight;
  return (
    <li
      id={anchorOf(message.id)}
      tabIndex={-1}
      className={cx(
        'group/message -mx-2 flex min-w-0 scroll-my-6 flex-col gap-1 rounded px-2 py-1 outline-none focus:bg-hover [contain-intrinsic-size:auto_5rem] [content-visibility:auto]',
        own ? 'items-end' : 'items-start',
      )}
    >
      <p className="flex max-w-full min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
        <span className="flex min-w-0 items-center gap-1">
          <Arrow className="size-3.5 shrink-0" />
          <span className="sr-only">{inbound ? 'Received from ' : 'Sent by '}</span>
          <bdi className="max-w-56 truncate font-medium text-fg" title={message.sender}>
            {message.sender}
          </bdi>
          {message.recipient === null ? null : (
            <>
              <span> to </span>
              <bdi className="max-w-56 truncate font-medium text-fg" title={message.recipient}>
                {message.recipient}
              </bdi>
            </>
          )}
        </span>
        <RelativeTime time={message.created_at} className="whitespace-nowrap" />
        {message.injected ? <Badge icon={<FlaskConical />}>Test</Badge> : null}
        {inbound ? null : <StateText state={message.state} className="gap-1 text-xs" />}
        {notRun ? <StateText state="failed" word="Not run" className="gap-1 text-xs" /> : null}
        {onAnswer === undefined ? null : (
          <IconButton
            size="sm"
            label={`Write to ${message.sender}`}
            onClick={() => onAnswer(message.sender)}
            className="-my-1 size-6 pointer-fine:opacity-0 pointer-fine:group-focus-within/message:opacity-100 pointer-fine:group-hover/message:opacity-100"
          >
            <CornerUpLeft className="size-3.5" />
          </IconButton>
        )}
      </p>
      <div
        className={cx(
          'max-w-[min(40rem,92%)] min-w-0 rounded border px-3 py-2',
          own ? 'border-transparent bg-accent-soft' : 'bg-subtle',
          message.state === 'failed' && 'border-failed/40',
        )}
      >
        {message.reply_to === null ? null : <Quote of={answers} onGoTo={() => onGoTo(message.reply_to ?? '')} />}
        <MessageText text={message.text} />
      </div>
      {message.state === 'failed' || (message.error !== null && inbound && !answered) ? (
        <Trouble message={message} />
      ) : message.state === 'queued' ? (
        <Waiting message={message} />
      ) : null}
      {inbound && message.call_id !== null ? <MessageCall id={message.call_id} /> : null}
    </li>
  );
}

export function anchorOf(id: string): string {
  return `message-${id}`;
}

function Quote({ of, onGoTo }: { of: Message | null; onGoTo: () => void }) {
  return (
    <button
      type="button"
      onClick={onGoTo}
      className="mb-1 block max-w-full truncate rounded-r-sm border-l-2 border-line-strong pl-2 text-left text-xs text-muted hover:text-fg hover:underline"
    >
      Answers {of === null ? 'an earlier message' : <bdi>{lineOf(of.text)}</bdi>}
    </button>
  );
}

function Trouble({ message }: { message: Message }) {
  const reason = message.error ?? 'No reason given.';
  if (message.direction === 'in')
    return (
      <Note>
        <bdi>{reason}</bdi>
      </Note>
    );
  return (
    <>
      <Note>
        Given up{message.attempts > 1 ? ` after ${message.attempts} attempts` : ''}: <bdi>{reason}</bdi>
      </Note>
      <Resend message={message} />
    </>
  );
}

function Note({ children }: { children: ReactNode }) {
  return <p className="foreign max-w-[min(40rem,92%)] text-sm text-failed">{children}</p>;
}

function Waiting({ message }: { message: Message }) {
  if (message.attempts === 0) return null;
  // An attempt counts from its start, and has an error once it failed.
  if (message.attempts === 1 && message.error === null) return <p className="text-sm text-muted">Sending…</p>;
  return (
    <p className="foreign max-w-[min(40rem,92%)] text-sm text-muted">
      Tried {message.attempts === 1 ? 'once' : `${message.attempts} times`}, retrying automatically
      {message.error === null ? null : (
        <>
          : <bdi>{message.error}</bdi>
        </>
      )}
    </p>
  );
}

function Resend({ message }: { message: Message }) {
  const resend = useResendMessage(message.channel);
  const maySend = useMay('channels.send');
  if (!maySend) return null;
  return (
    <>
      <TransientButton
        focusFallback="li"
        size="sm"
        icon={<RotateCw />}
        pending={resend.isPending}
        onClick={() => resend.mutate(message.id)}
      >
        {resend.isPending ? 'Queueing…' : 'Send again'}
      </TransientButton>
      <ProblemLine error={resend.error} />
    </>
  );
}

function MessageText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const long = isLong(text);
  return (
    <>
      <p dir="auto" className={cx('foreign', isData(text) && 'font-mono text-sm', long && !whole && 'line-clamp-[12]')}>
        {text}
      </p>
      {long ? <ShowAllButton length={text.length} isExpanded={whole} onExpanded={setWhole} /> : null}
    </>
  );
}

const SHOWN = 4_000;

function MessageCall({ id }: { id: string }) {
  const root = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  const [open, setOpen] = useState(false);
  const detailsId = useId();
  const { data: call, error } = useQuery({ ...queries.call(id), enabled: seen });

  // Loaded when scrolled into view: a conversation may have many calls.
  useEffect(() => {
    if (root.current === null) return;
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && setSeen(true));
    observer.observe(root.current);
    return () => observer.disconnect();
  }, []);

  return (
    <div ref={root} className="w-full max-w-160 min-w-0 overflow-hidden rounded border bg-panel text-sm">
      <div className="flex min-h-9 min-w-0 items-center gap-2 pr-3">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={detailsId}
          disabled={call === undefined}
          onClick={() => setOpen(!open)}
          className="focus-inset flex min-h-9 min-w-0 flex-1 items-center gap-2 rounded py-1 pl-2 text-left"
        >
          <ChevronRight className={cx('size-4 shrink-0 text-muted transition-transform', open && 'rotate-90')} />
          {call === undefined ? (
            <span className="truncate text-muted">{error === null ? 'Loading…' : problemInWords(error)}</span>
          ) : (
            <Summary call={call} />
          )}
        </button>
        <ListLink href={PAGES.call(id)} className="link shrink-0">
          Open<span className="max-sm:sr-only"> the call</span>
        </ListLink>
      </div>
      <div id={detailsId} hidden={!open || call === undefined} className="flex flex-col gap-2 border-t p-2">
        {open && call !== undefined ? <Details call={call} /> : null}
      </div>
    </div>
  );
}

function Summary({ call }: { call: Call }) {
  return (
    <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2">
      <span className="min-w-0 truncate">
        <span className="sr-only">Call of </span>
        <code className="font-medium" title={call.tool}>
          {call.tool}
        </code>
      </span>
      <StateText state={call.status} className="shrink-0" />
      <span className="tabular shrink-0 text-muted">
        {call.status === 'running' ? <RunningDuration since={call.started_at} /> : <Duration ms={call.duration_ms} />}
      </span>
    </span>
  );
}

function Details({ call }: { call: Call }) {
  return (
    <>
      <p className="px-1 text-xs font-medium text-muted">Arguments</p>
      <CodeBlock code={jsonText(call.arguments)} language="json" label="Arguments" copyLabel={null} wrap className="border-0" />
      {call.error !== null ? (
        <p dir="auto" className="foreign px-1 text-failed">
          {call.error.message}
        </p>
      ) : call.status === 'running' ? (
        <p className="px-1 text-muted">The result appears when the tool finishes.</p>
      ) : (
        <>
          <p className="px-1 text-xs font-medium text-muted">Result</p>
          <CodeBlock code={jsonText(call.result)} language="json" label="Result" copyLabel={null} wrap className="border-0" />
        </>
      )}
    </>
  );
}

function problemInWords(error: Error): string {
  return hasProblemCode(error, 'call_not_found') ? 'This call is no longer in the history.' : messageOf(error);
}

function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}\n…` : text;
}
