'use client';

import { ArrowDownLeft, ArrowUpRight, CornerUpLeft, FlaskConical, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '#components/ui/Badge.tsx';
import { cx } from '#components/ui/cx.ts';
import { IconButton } from '#components/ui/IconButton.tsx';
import { PassingButton } from '#components/ui/PassingButton.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { useResendMessage } from '#lib/client/mutations.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import type { Message } from '#lib/contract/channel.ts';
import { lineOf } from './conversation.ts';
import { MessageCall } from './MessageCall.tsx';
import { MessageText } from './MessageText.tsx';

export interface MessageItemProps {
  message: Message;
  /** At the right, as what the reader's own side said. */
  own: boolean;
  /** The message it answers, where that is on the page. */
  answers: Message | null;
  /** Whether an answer to it is on the page: why a command was not run then stands there. */
  answered: boolean;
  onGoTo: (id: string) => void;
  /** Writes to this sender; absent where that makes no sense. */
  onAnswer?: (sender: string) => void;
}

/** One message: from whom to whom, when, how it fared, what it caused. */
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
      <p className="flex max-w-full min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-muted">
        <span className="flex min-w-0 items-center gap-1">
          <Arrow aria-hidden className="size-3.5 shrink-0" />
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
        {message.injected ? <Badge icon={<FlaskConical aria-hidden />}>Test</Badge> : null}
        {inbound ? null : <StateText state={message.state} className="gap-1 text-xs" />}
        {notRun ? <StateText state="failed" word="Not run" className="gap-1 text-xs" /> : null}
        {onAnswer === undefined ? null : (
          <IconButton
            size="sm"
            label={`Write to ${message.sender}`}
            onClick={() => onAnswer(message.sender)}
            className="-my-1 size-6 pointer-fine:opacity-0 pointer-fine:group-focus-within/message:opacity-100 pointer-fine:group-hover/message:opacity-100"
          >
            <CornerUpLeft aria-hidden className="size-3.5" />
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
  const reason = message.error ?? 'No reason was given.';
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
  return (
    <p className="foreign max-w-[min(40rem,92%)] text-sm text-muted">
      Tried {message.attempts === 1 ? 'once' : `${message.attempts} times`}, tried again by itself
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
      <PassingButton
        heir="li"
        size="sm"
        icon={<RotateCw aria-hidden />}
        pending={resend.isPending}
        onClick={() => resend.mutate(message.id)}
      >
        {resend.isPending ? 'Queueing…' : 'Send again'}
      </PassingButton>
      {resend.isError ? <ProblemLine>{messageOf(resend.error)}</ProblemLine> : null}
    </>
  );
}
