'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Circle, CircleCheck, CircleMinus, CircleX, LoaderCircle } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import Link from 'next/link';
import { cx } from '#components/ui/cx.ts';
import { ClockTime, Duration } from '#components/ui/RelativeTime.tsx';
import { queries } from '#lib/client/queries.ts';
import type { Channel, Message } from '#lib/contract/channel.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { lineOf } from './conversation.ts';
import { followSteps } from './follow-steps.ts';
import type { FollowStep, StepState } from './follow-steps.ts';

const LOOK: Record<StepState, { readonly icon: LucideIcon; readonly word: string; readonly className: string }> = {
  done: { icon: CircleCheck, word: 'done', className: 'text-ok' },
  running: { icon: LoaderCircle, word: 'under way', className: 'text-running' },
  failed: { icon: CircleX, word: 'failed', className: 'text-failed' },
  waiting: { icon: Circle, word: 'not yet', className: 'text-muted' },
  skipped: { icon: CircleMinus, word: 'left out', className: 'text-muted' },
};

/** A message on its way through received, command, call and reply; events keep it up to date. */
export function FollowMessage({ channel, message: first }: { channel: Channel; message: Message }) {
  const { data } = useInfiniteQuery(queries.messages(channel.name));
  const messages = data?.pages.flatMap((page) => page.messages) ?? [];
  const message = messages.find((each) => each.id === first.id) ?? first;
  const reply = messages.find((each) => each.reply_to === first.id) ?? null;
  const { data: call } = useQuery({ ...queries.call(message.call_id ?? ''), enabled: message.call_id !== null });
  const steps = followSteps({ message, call: call ?? null, reply, commands: channel.commands });
  return (
    <ol aria-label="The way of the test message" className="flex min-w-0 flex-col">
      {steps.map((step, at) => (
        <Step key={step.name} step={step} last={at === steps.length - 1}>
          {step.name === 'Call' && message.call_id !== null ? (
            <>
              <Link href={PAGES.call(message.call_id)} className="rounded-sm font-medium underline underline-offset-2">
                {call?.tool ?? 'Open the call'}
              </Link>
              {call === undefined || call.duration_ms === null ? null : <Duration ms={call.duration_ms} className="tabular text-muted" />}
            </>
          ) : null}
          {step.name === 'Received' ? <bdi className="min-w-0 truncate text-muted">{lineOf(message.text, 40)}</bdi> : null}
          {step.name === 'Reply' && reply !== null ? <bdi className="min-w-0 truncate text-muted">{lineOf(reply.text, 60)}</bdi> : null}
        </Step>
      ))}
    </ol>
  );
}

function Step({ step, last, children }: { step: FollowStep; last: boolean; children: React.ReactNode }) {
  const { icon: Icon, word, className } = LOOK[step.state];
  return (
    <li className="relative flex min-w-0 gap-2.5 pb-3 last:pb-0">
      {last ? null : <span aria-hidden className="absolute top-5 bottom-0 left-[0.4375rem] w-px bg-line-strong" />}
      <Icon aria-hidden className={cx('mt-0.5 size-4 shrink-0', className, step.state === 'running' && 'spinner')} />
      <div className="flex min-w-0 flex-1 flex-col text-sm">
        <p className="flex items-baseline gap-2">
          <span className="font-medium">{step.name}</span>
          <span className="sr-only">{word}</span>
          {step.time === null ? null : <ClockTime time={step.time} className="ml-auto text-xs text-muted" />}
        </p>
        <p className="text-muted">{step.words}</p>
        {step.quote === null ? null : (
          <p dir="auto" className={cx('foreign line-clamp-4', step.state === 'failed' ? 'text-failed' : 'text-muted')}>
            {step.quote}
          </p>
        )}
        {children === null ? null : <p className="flex min-w-0 items-baseline gap-2">{children}</p>}
      </div>
    </li>
  );
}
