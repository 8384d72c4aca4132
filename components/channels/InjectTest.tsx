'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Circle, CircleCheck, CircleMinus, CircleX, FlaskConical, LoaderCircle, type LucideIcon } from 'lucide-react';
import Link from 'next/link';
import { type ReactNode, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Field, Form, Input, Textarea } from '#components/ui/Field.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { ClockTime, Duration } from '#components/ui/RelativeTime.tsx';
import { cx } from '#components/ui/cx.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { useInjectMessage } from '#lib/client/mutations.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import type { Channel, ChannelCommands, Message } from '#lib/contract/channel.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { lineOf } from './MessageItem.tsx';

type StepState = 'done' | 'running' | 'failed' | 'waiting' | 'skipped';

interface FollowStep {
  readonly name: 'Received' | 'Command' | 'Call' | 'Reply';
  readonly state: StepState;
  /** Our sentence; text of others is in `quote`. */
  readonly words: string;
  readonly quote: string | null;
  readonly time: string | null;
}

export interface Followed {
  readonly message: Message;
  readonly call: Call | null;
  readonly reply: Message | null;
  readonly commands: ChannelCommands;
}

const COMMAND = /^\/[A-Za-z][A-Za-z0-9_-]*(?:\s|\{|$)/;

export function followSteps(followed: Followed): readonly FollowStep[] {
  const { message } = followed;
  const received: FollowStep = { name: 'Received', state: 'done', words: 'Stored.', quote: null, time: message.created_at };
  const command = commandStep(followed);
  const call = callStep(followed, command.state);
  return [received, command, call, replyStep(followed, command.state, call.state)];
}

function commandStep({ message, reply, commands }: Followed): FollowStep {
  const step = { name: 'Command', quote: null, time: null } as const;
  const isCommand = COMMAND.test(message.text.trim());
  if (message.error !== null && isCommand) return { ...step, state: 'failed', words: 'Not run.', quote: message.error };
  if (message.call_id !== null) return { ...step, state: 'done', words: 'Parsed as a call.' };
  if (reply !== null) return { ...step, state: 'done', words: 'Answered without a call.' };
  if (!isCommand) return { ...step, state: 'skipped', words: 'Not a command: it does not start with /tool.' };
  if (!commands.enabled) return { ...step, state: 'skipped', words: 'Commands are disabled in this channel.' };
  return { ...step, state: 'running', words: 'Parsing…' };
}

function callStep({ message, call }: Followed, command: StepState): FollowStep {
  const step = { name: 'Call', quote: null, time: null } as const;
  if (message.call_id === null)
    return command === 'running' ? { ...step, state: 'waiting', words: 'Not yet.' } : { ...step, state: 'skipped', words: 'None.' };
  if (call === null || call.status === 'running') return { ...step, state: 'running', words: 'Running…', time: call?.started_at ?? null };
  const time = call.finished_at;
  if (call.status === 'succeeded') return { ...step, state: 'done', words: 'Succeeded.', time };
  return { ...step, state: 'failed', words: 'Failed.', quote: call.error?.message ?? null, time };
}

function replyStep({ reply }: Followed, command: StepState, call: StepState): FollowStep {
  const step = { name: 'Reply', quote: null, time: null } as const;
  if (reply === null) {
    if (command === 'skipped') return { ...step, state: 'skipped', words: 'None: only commands get a reply.' };
    return call === 'running' || command === 'running'
      ? { ...step, state: 'waiting', words: 'Not yet.' }
      : { ...step, state: 'running', words: 'Pending…' };
  }
  const time = reply.created_at;
  if (reply.state === 'failed') return { ...step, state: 'failed', words: 'Failed to send.', quote: reply.error, time };
  if (reply.state === 'queued') return { ...step, state: 'running', words: 'Queued.', quote: reply.error, time };
  return { ...step, state: 'done', words: reply.recipient === null ? 'Sent.' : 'Sent to the sender.', quote: null, time };
}

interface InjectTestProps {
  channel: Channel;
  /** Kept by the page, so that it survives closing the sheet. */
  followed: Message | null;
  onInjected: (message: Message) => void;
}

export function InjectTest({ channel, followed, onInjected }: InjectTestProps) {
  const inject = useInjectMessage(channel.name);
  const [sender, setSender] = useState('');
  const [text, setText] = useState('/help');
  const tooLong = text.length > LIMITS.messageTextLength;
  const ready = text.trim() !== '' && !tooLong;

  function submit() {
    if (!ready || inject.isPending) return;
    inject.mutate({ text, ...(sender.trim() === '' ? {} : { sender: sender.trim() }) }, { onSuccess: onInjected });
  }

  return (
    <div className="flex min-w-0 flex-col">
      <Form aria-label="Inject a test message" onSubmit={submit} className="flex flex-col gap-3">
        <p className="text-sm text-muted">Handled like a received message: commands run, and replies are sent.</p>
        <Field label="Sender">
          <Input autoComplete="off" placeholder="a test" value={sender} onChange={(event) => setSender(event.target.value)} />
        </Field>
        <Field label="Text" error={tooLong ? `At most ${LIMITS.messageTextLength.toLocaleString('en')} characters. Shorten it.` : null}>
          <Textarea
            rows={2}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (pressedKey(event) !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              submit();
            }}
            className="field-sizing-content max-h-40 min-h-14 font-mono text-sm"
          />
        </Field>
        <Button type="submit" icon={<FlaskConical />} pending={inject.isPending} aria-disabled={!ready} className="self-start">
          Inject a test message
        </Button>
        {inject.isError ? <ProblemLine>Not injected: {messageOf(inject.error)}</ProblemLine> : null}
      </Form>
      {followed === null ? null : (
        <div className="mt-4 border-t pt-4">
          <FollowMessage key={followed.id} channel={channel} message={followed} />
        </div>
      )}
    </div>
  );
}

const STEP_STATES: Record<StepState, { readonly icon: LucideIcon; readonly word: string; readonly className: string }> = {
  done: { icon: CircleCheck, word: 'done', className: 'text-ok' },
  running: { icon: LoaderCircle, word: 'running', className: 'text-running' },
  failed: { icon: CircleX, word: 'failed', className: 'text-failed' },
  waiting: { icon: Circle, word: 'not yet', className: 'text-muted' },
  skipped: { icon: CircleMinus, word: 'left out', className: 'text-muted' },
};

function FollowMessage({ channel, message: first }: { channel: Channel; message: Message }) {
  const { data } = useInfiniteQuery(queries.messages(channel.name));
  const messages = data?.pages.flatMap((page) => page.messages) ?? [];
  const message = messages.find((each) => each.id === first.id) ?? first;
  const reply = messages.find((each) => each.reply_to === first.id) ?? null;
  const { data: call } = useQuery({ ...queries.call(message.call_id ?? ''), enabled: message.call_id !== null });
  const steps = followSteps({ message, call: call ?? null, reply, commands: channel.commands });
  return (
    <ol aria-label="Trace" className="flex min-w-0 flex-col">
      {steps.map((step, at) => (
        <Step key={step.name} step={step} last={at === steps.length - 1}>
          {step.name === 'Call' && message.call_id !== null ? (
            <>
              <Link href={PAGES.call(message.call_id)} className="link font-medium">
                {call?.tool ?? 'Open call'}
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

function Step({ step, last, children }: { step: FollowStep; last: boolean; children: ReactNode }) {
  const { icon: Icon, word, className } = STEP_STATES[step.state];
  return (
    <li className="relative flex min-w-0 gap-2 pb-3 last:pb-0">
      {last ? null : <span aria-hidden className="absolute top-5 bottom-0 left-[0.4375rem] w-px bg-line-strong" />}
      <Icon className={cx('h-lh w-4 shrink-0', className, step.state === 'running' && 'spinner')} />
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
