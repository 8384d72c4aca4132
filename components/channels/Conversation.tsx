'use client';

import { EmptyState, QueryState } from '#components/ui/QueryState.tsx';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, CircleX, MessagesSquare, SendHorizontal } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type Ref, useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Form, Input, Textarea } from '#components/ui/Field.tsx';
import { Kbd } from '#components/ui/Kbd.tsx';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { cx } from '#components/ui/cx.ts';
import { textDrafts, useTextDraft } from '#components/ui/text-drafts.ts';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { useReconnected } from '#lib/client/live-context.ts';
import { queries } from '#lib/client/queries.ts';
import type { Message } from '#lib/contract/channel.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { MessageItem, anchorOf, lengthState, lineOf } from './MessageItem.tsx';

/*
 * A scroller whose zero is its end (column-reverse) around a list in reading order: it opens at the newest message, follows new
 * messages, and does not move when older ones are loaded. Away from the end, new messages wait behind a button. Each event
 * refetches all loaded pages, so at the end only the newest page is kept.
 */
const AT_END_PX = 60;
const PREFETCH_MARGIN = '600px 0px 0px 0px';
const PAGES_AT_END = 2;

interface ConversationProps {
  channel: string;
  isOwn: (message: Message) => boolean;
  onAnswer?: (sender: string) => void;
  empty: ReactNode;
  /** All failed messages of the channel, including those not loaded. */
  notSent: number;
  /** Incremented when the reader sends a message, to scroll to the end. */
  sent: number;
}

export function Conversation({ channel, isOwn, onAnswer, empty, notSent, sent }: ConversationProps) {
  const client = useQueryClient();
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, isFetchNextPageError, refetch } = useInfiniteQuery(
    queries.messages(channel),
  );
  const all = useMemo(() => data?.pages.flatMap((page) => page.messages) ?? [], [data]);
  const scroller = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const targetId = useRef<string | null>(null);
  const [away, setAway] = useState(false);
  const [seen, setSeen] = useState<string | null>(null);
  const [sentBefore, setSentBefore] = useState(sent);
  if (sentBefore !== sent) {
    setSentBefore(sent);
    setAway(false);
  }
  const newest = all[0]?.id ?? null;
  if (!away && seen !== newest) setSeen(newest);
  const waiting =
    away && seen !== null
      ? Math.max(
          0,
          all.findIndex((message) => message.id === seen),
        )
      : 0;
  const shown = useMemo(() => all.slice(waiting).toReversed(), [all, waiting]);
  const byId = useMemo(() => new Map(all.map((message) => [message.id, message])), [all]);
  const answered = useMemo(() => new Set(all.map((message) => message.reply_to)), [all]);
  const pages = data?.pages.length ?? 0;

  function scrollToEnd() {
    setSeen(newest);
    setAway(false);
    scroller.current?.scrollTo({ top: 0 });
  }

  function onScroll() {
    const isAway = Math.abs(scroller.current?.scrollTop ?? 0) > AT_END_PX;
    setAway(isAway);
    if (isAway || pages <= PAGES_AT_END || isFetching) return;
    client.setQueryData(queries.messages(channel).queryKey, (list) =>
      list === undefined ? list : { pages: list.pages.slice(0, PAGES_AT_END), pageParams: list.pageParams.slice(0, PAGES_AT_END) },
    );
  }

  const readOlder = useEffectEvent(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError) fetchNextPage().catch(() => undefined);
  });

  useEffect(() => {
    if (top.current === null) return;
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && readOlder(), {
      root: scroller.current,
      rootMargin: PREFETCH_MARGIN,
    });
    observer.observe(top.current);
    return () => observer.disconnect();
  }, [pages, isFetching]);

  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [sent]);

  function scrollToTarget() {
    const target = targetId.current === null ? null : document.getElementById(anchorOf(targetId.current));
    if (target === null) return;
    targetId.current = null;
    target.scrollIntoView({ block: 'center' });
    target.focus({ preventScroll: true });
  }

  // Messages that were just fetched are in the DOM only after the next render.
  const onRendered = useEffectEvent(scrollToTarget);
  useEffect(() => onRendered(), [all]);

  /** Loads older pages until one matches; false if none does. */
  async function goTo(matches: (message: Message) => boolean): Promise<boolean> {
    let known = all;
    let more = hasNextPage;
    for (;;) {
      const found = known.find(matches);
      if (found !== undefined) {
        targetId.current = found.id;
        scrollToTarget();
        return true;
      }
      if (!more) return false;
      const read = await fetchNextPage();
      if (read.data === undefined || read.isFetchNextPageError) return false;
      known = read.data.pages.flatMap((page) => page.messages);
      more = read.hasNextPage;
    }
  }

  if (data === undefined)
    return (
      <div className="flex-1">
        <QueryState query={{ error, refetch, isFetching }} what="the messages" lines={8} inset />
      </div>
    );
  const last = shown.findLast((message) => !isOwn(message));
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {notSent === 0 ? null : <NotSentStrip count={notSent} goTo={goTo} />}
      <div
        ref={scroller}
        role="region"
        aria-label={`Conversation of ${channel}`}
        tabIndex={0}
        onScroll={onScroll}
        className="focus-inset flex min-h-0 flex-1 flex-col-reverse overflow-y-auto overscroll-contain"
      >
        <div className={cx('flex flex-col', shown.length === 0 && 'min-h-full justify-center')}>
          <div ref={top} className="flex min-h-px flex-col items-center gap-2 px-4 pt-3 text-center text-sm text-muted">
            {isFetchNextPageError ? <p className="foreign text-failed">{messageOf(error)}</p> : null}
            {all.length === 0 ? null : hasNextPage ? (
              <Button size="sm" variant="quiet" pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {isFetchingNextPage ? 'Loading…' : 'Show older messages'}
              </Button>
            ) : (
              <p>Start of the conversation</p>
            )}
          </div>
          {shown.length === 0 ? (
            <EmptyState title="No messages yet" icon={<MessagesSquare />}>
              {empty}
            </EmptyState>
          ) : (
            <ol aria-label="Messages, newest last" className="flex min-w-0 flex-col gap-4 p-4">
              {shown.map((message) => (
                <MessageItem
                  key={message.id}
                  message={message}
                  own={isOwn(message)}
                  answers={byId.get(message.reply_to ?? '') ?? null}
                  answered={answered.has(message.id)}
                  onGoTo={(id) => void goTo((each) => each.id === id)}
                  onAnswer={message.direction === 'out' ? undefined : onAnswer}
                />
              ))}
            </ol>
          )}
        </div>
      </div>
      {away ? (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <Button
            size="sm"
            variant={waiting === 0 ? 'secondary' : 'primary'}
            icon={<ArrowDown />}
            onClick={() => {
              scrollToEnd();
              scroller.current?.focus({ preventScroll: true });
            }}
            className="pointer-events-auto rounded-full"
          >
            {waiting === 0 ? 'Jump to newest' : `${waiting} new`}
          </Button>
        </div>
      ) : null}
      <p role="status" className="sr-only">
        {last === undefined ? '' : `${last.sender}: ${lineOf(last.text)}`}
      </p>
    </div>
  );
}

function NotSentStrip({ count, goTo }: { count: number; goTo: (matches: (message: Message) => boolean) => Promise<boolean> }) {
  const visited = useRef(new Set<string>());
  const show = useMutation({
    mutationFn: async () => {
      if (await next()) return;
      visited.current.clear();
      await next();
    },
  });

  function next(): Promise<boolean> {
    return goTo((message) => {
      if (message.state !== 'failed' || visited.current.has(message.id)) return false;
      visited.current.add(message.id);
      return true;
    });
  }

  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-failed-soft px-4 py-1 text-sm">
      <span className="flex min-w-0 flex-1 items-center gap-2 text-failed">
        <CircleX className="size-4 shrink-0" />
        {count} {count === 1 ? 'message' : 'messages'} failed to send
      </span>
      <Button size="sm" pending={show.isPending} onClick={() => show.mutate()}>
        {count === 1 ? 'Show it' : 'Show the next'}
      </Button>
    </div>
  );
}

interface ComposerProps {
  label: string;
  draft: string;
  /** If it rejects, the text stays. */
  onSend: (text: string, recipient: string) => Promise<unknown>;
  recipient?: { readonly value: string; readonly suggestions: readonly string[]; readonly onChange: (value: string) => void } | undefined;
  note?: string | null;
  ref?: Ref<HTMLTextAreaElement> | undefined;
}

/** Enter sends; on touch screens it inserts a line break. */
export function Composer({ label, draft, onSend, recipient, note = null, ref }: ComposerProps) {
  const [text, setText] = useTextDraft(draft);
  const sending = useMutation({
    mutationFn: (sent: string) => onSend(sent, recipient?.value.trim() ?? ''),
    onSuccess: (_said, sent) => textDrafts.settle(draft, sent),
  });
  useReconnected(() => {
    if (hasProblemCode(sending.error, 'offline')) sending.reset();
  });
  const id = useId();
  const length = lengthState(text.length, LIMITS.messageTextLength);
  const ready = text.trim() !== '' && length !== 'over';

  function send() {
    if (ready && !sending.isPending) sending.mutate(text);
  }

  function press(event: KeyboardEvent) {
    if (pressedKey(event) !== 'Enter' || event.shiftKey || event.altKey) return;
    const byKey = event.ctrlKey || event.metaKey;
    if (!byKey && window.matchMedia('(pointer: coarse)').matches) return;
    event.preventDefault();
    send();
  }

  return (
    <Form aria-label={label} onSubmit={send} className="flex min-w-0 flex-col gap-2 border-t p-3">
      <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-2">
        {recipient === undefined ? null : (
          <span className="flex min-w-56 flex-1 items-center gap-2">
            <label htmlFor={`${id}-recipient`} className="text-sm text-muted">
              To
            </label>
            <Input
              id={`${id}-recipient`}
              list={`${id}-recipients`}
              autoComplete="off"
              placeholder="channel default"
              value={recipient.value}
              onChange={(event) => recipient.onChange(event.target.value)}
              className="h-7 sm:max-w-64 pointer-coarse:h-10"
            />
            <datalist id={`${id}-recipients`}>
              {recipient.suggestions.map((sender) => (
                <option key={sender} value={sender}>
                  {sender}
                </option>
              ))}
            </datalist>
          </span>
        )}
        <span id={`${id}-hint`} className="ml-auto flex items-center gap-1 text-xs text-muted pointer-coarse:sr-only">
          <Kbd>Enter</Kbd> sends, <Kbd>Shift</Kbd> <Kbd>Enter</Kbd> makes a new line
        </span>
      </div>
      <div className="flex min-w-0 items-end gap-2">
        <Textarea
          ref={ref}
          rows={1}
          aria-label={label}
          aria-describedby={`${id}-hint ${id}-note`}
          aria-invalid={length === 'over'}
          placeholder={label}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={press}
          className="field-sizing-content max-h-48 min-h-10 resize-none py-2"
        />
        <Button type="submit" size="lg" variant="primary" icon={<SendHorizontal />} pending={sending.isPending} aria-disabled={!ready}>
          Send
        </Button>
      </div>
      <div id={`${id}-note`} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted empty:hidden">
        {note === null ? null : <span>{note}</span>}
        {length === 'fine' ? null : (
          <span className={cx('tabular ml-auto', length === 'over' && 'font-medium text-failed')}>
            {text.length.toLocaleString('en')} of {LIMITS.messageTextLength.toLocaleString('en')} characters
            {length === 'over' ? '; shorten it to send' : ''}
          </span>
        )}
      </div>
      {sending.error === null ? null : <ProblemLine>Not sent: {messageOf(sending.error)}</ProblemLine>}
    </Form>
  );
}
