'use client';

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, MessagesSquare } from 'lucide-react';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { cx } from '#components/ui/cx.ts';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import type { Message } from '#lib/contract/channel.ts';
import { lineOf, newerThan } from './conversation.ts';
import { anchorOf, MessageItem } from './MessageItem.tsx';
import { NotSentStrip } from './NotSentStrip.tsx';

/*
 * A scroller whose zero is its end (column-reverse), around a list in reading order. So it opens at the newest message,
 * stays there while messages arrive, and does not move when older ones are put above: nobody has to measure anything.
 * Further up, what is new waits under a button. Each event reads all pages that are open again, so once the reader is
 * back at the end only the newest are kept.
 */
const AT_END_PX = 60;
const AHEAD = '600px 0px 0px 0px';
const PAGES_AT_END = 2;

export interface ConversationProps {
  channel: string;
  /** Whether a message is at the reader's own side, at the right. */
  isOwn: (message: Message) => boolean;
  onAnswer?: (sender: string) => void;
  empty: ReactNode;
  /** How many messages of the channel were given up, also such that are not on the page. */
  notSent: number;
  /** Goes up when the reader wrote something: then the end is shown. */
  sent: number;
}

/** The messages of a channel, newest at the end; older ones are read as one scrolls up. */
export function Conversation({ channel, isOwn, onAnswer, empty, notSent, sent }: ConversationProps) {
  const client = useQueryClient();
  const { data, error, isPending, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, isFetchNextPageError, refetch } =
    useInfiniteQuery(queries.messages(channel));
  const all = useMemo(() => data?.pages.flatMap((page) => page.messages) ?? [], [data]);
  const scroller = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | null>(null);
  const [away, setAway] = useState(false);
  const [seen, setSeen] = useState<string | null>(null);
  const [sentBefore, setSentBefore] = useState(sent);
  if (sentBefore !== sent) {
    setSentBefore(sent);
    setAway(false);
  }
  const newest = all[0]?.id ?? null;
  if (!away && seen !== newest) setSeen(newest);
  const waiting = away
    ? newerThan(
        all.map((message) => message.id),
        seen,
      )
    : 0;
  const shown = useMemo(() => all.slice(waiting).toReversed(), [all, waiting]);
  const byId = useMemo(() => new Map(all.map((message) => [message.id, message])), [all]);
  const answered = useMemo(() => new Set(all.map((message) => message.reply_to)), [all]);
  const pages = data?.pages.length ?? 0;

  function toEnd() {
    setSeen(newest);
    setAway(false);
    scroller.current?.scrollTo({ top: 0 });
  }

  function scrolled() {
    const isAway = Math.abs(scroller.current?.scrollTop ?? 0) > AT_END_PX;
    setAway(isAway);
    if (isAway || pages <= PAGES_AT_END || isFetching) return;
    client.setQueryData(queries.messages(channel).queryKey, (kept) =>
      kept === undefined ? kept : { pages: kept.pages.slice(0, PAGES_AT_END), pageParams: kept.pageParams.slice(0, PAGES_AT_END) },
    );
  }

  const readOlder = useEffectEvent(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError) fetchNextPage().catch(() => undefined);
  });

  useEffect(() => {
    if (top.current === null) return;
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && readOlder(), {
      root: scroller.current,
      rootMargin: AHEAD,
    });
    observer.observe(top.current);
    return () => observer.disconnect();
  }, [pages, isFetching]);

  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [sent]);

  function arrive() {
    const target = wanted.current === null ? null : document.getElementById(anchorOf(wanted.current));
    if (target === null) return;
    wanted.current = null;
    target.scrollIntoView({ block: 'center' });
    target.focus({ preventScroll: true });
  }

  // What had to be read first is on the page only after the next rendering.
  const arriveThen = useEffectEvent(arrive);
  useEffect(() => arriveThen(), [all]);

  /** Goes to the newest message that fits, reading older ones until there is one; false when there is none. */
  async function goTo(fits: (message: Message) => boolean): Promise<boolean> {
    let known = all;
    let more = hasNextPage;
    for (;;) {
      const found = known.find(fits);
      if (found !== undefined) {
        wanted.current = found.id;
        arrive();
        return true;
      }
      if (!more) return false;
      const read = await fetchNextPage();
      if (read.data === undefined || read.isFetchNextPageError) return false;
      known = read.data.pages.flatMap((page) => page.messages);
      more = read.hasNextPage;
    }
  }

  if (isPending) return <Skeleton lines={8} label="Reading the messages…" className="flex-1" />;
  if (data === undefined) {
    return (
      <div className="flex-1 p-4">
        <ErrorState title="The messages could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
      </div>
    );
  }
  const last = shown.findLast((message) => !isOwn(message));
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {notSent === 0 ? null : <NotSentStrip count={notSent} goTo={goTo} />}
      <div
        ref={scroller}
        role="region"
        aria-label={`Conversation of ${channel}`}
        tabIndex={0}
        onScroll={scrolled}
        className="focus-inset flex min-h-0 flex-1 flex-col-reverse overflow-y-auto overscroll-contain"
      >
        <div className={cx('flex flex-col', shown.length === 0 && 'min-h-full justify-center')}>
          <div ref={top} className="flex min-h-px flex-col items-center gap-2 px-4 pt-3 text-center text-sm text-muted">
            {isFetchNextPageError ? <p className="foreign text-failed">{messageOf(error)}</p> : null}
            {all.length === 0 ? null : hasNextPage ? (
              <Button size="sm" variant="quiet" pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {isFetchingNextPage ? 'Reading older messages…' : 'Show older messages'}
              </Button>
            ) : (
              <p>This is where it begins.</p>
            )}
          </div>
          {shown.length === 0 ? (
            <EmptyState title="No messages yet" icon={<MessagesSquare aria-hidden />}>
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
                  {...(onAnswer === undefined || message.direction === 'out' ? {} : { onAnswer })}
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
            icon={<ArrowDown aria-hidden />}
            onClick={() => {
              toEnd();
              scroller.current?.focus({ preventScroll: true });
            }}
            className="pointer-events-auto rounded-full"
          >
            {waiting === 0 ? 'To the newest' : `${waiting} new`}
          </Button>
        </div>
      ) : null}
      <p role="status" className="sr-only">
        {last === undefined ? '' : `${last.sender}: ${lineOf(last.text)}`}
      </p>
    </div>
  );
}
