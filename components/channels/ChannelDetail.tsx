'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { cx } from '#components/ui/cx.ts';
import { Sheet } from '#components/ui/Dialog.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { firstParagraph } from '#components/ui/paragraphs.ts';
import { PageHead } from '#components/ui/PageHead.tsx';
import { ReadOnlyNote } from '#components/ui/ReadOnlyNote.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { StateBadge } from '#components/ui/StateBadge.tsx';
import { useTextDraft } from '#components/ui/text-drafts.ts';
import { isApiProblem, messageOf } from '#lib/client/api-problem.ts';
import { useInjectMessage, useSendMessage } from '#lib/client/mutations.ts';
import { queries } from '#lib/client/queries.ts';
import { useMayNot } from '#lib/client/use-may-not.ts';
import type { Channel, Message } from '#lib/contract/channel.ts';
import { ChannelSide, useSideState } from './ChannelSide.tsx';
import { ChannelReason, ChannelStateBadge } from './ChannelState.tsx';
import { Composer } from './Composer.tsx';
import { Conversation } from './Conversation.tsx';
import { recentSenders } from './conversation.ts';

/** The chat of the dashboard: what people write in it, under their own name, is what it receives. */
const CHAT = 'web';

/** The page fills what the window has left, also below a banner, and does not scroll: its parts do. */
const WINDOW = 'min-h-112 grow basis-0 max-md:-mb-6';

/** One channel: its conversation, a box to write in, and at the side its state, its commands and a test. */
export function ChannelDetail({ name }: { name: string }) {
  const { data: channel, error, refetch, isFetching } = useQuery(queries.channel(name));
  if (isApiProblem(error) && error.status === 404) return <Gone name={name} />;
  if (channel === undefined) {
    return error === null ? (
      <Skeleton lines={10} label="Reading the channel…" />
    ) : (
      <ErrorState title="The channel could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
    );
  }
  return <Open key={name} channel={channel} />;
}

function Open({ channel }: { channel: Channel }) {
  const [side, setSide] = useSideState();
  const [isOpen, setOpen] = useState(false);
  const about = <ChannelSide channel={channel} state={side} onChange={setSide} />;
  return (
    <div className={cx('flex min-w-0 flex-col gap-3', WINDOW)}>
      <PageHead
        title={<bdi className="break-all">{channel.name}</bdi>}
        badge={<ChannelStateBadge channel={channel} />}
        note={
          <>
            {channel.description === '' ? null : (
              <span dir="auto" title={channel.description} className="foreign line-clamp-2 max-w-5xl">
                <CodeText text={firstParagraph(channel.description).first} />
              </span>
            )}
            <ChannelReason channel={channel} className="line-clamp-2 max-w-prose text-sm xl:hidden" />
          </>
        }
        actions={
          <Button icon={<SlidersHorizontal aria-hidden />} onClick={() => setOpen(true)} className="xl:hidden">
            Details
          </Button>
        }
      />
      <div className="grid min-h-0 min-w-0 flex-1 gap-5 xl:grid-cols-[minmax(0,1fr)_23rem]">
        <Talk channel={channel} chat={channel.name === CHAT} />
        <aside aria-label="About the channel" className="flex min-h-0 min-w-0 flex-col rounded border bg-panel max-xl:hidden">
          {about}
        </aside>
      </div>
      <Sheet open={isOpen} onOpenChange={setOpen} title={channel.name}>
        {isOpen ? <div className="-m-4">{about}</div> : null}
      </Sheet>
    </div>
  );
}

/** Its file is gone; what was written stays, to be read. */
function Gone({ name }: { name: string }) {
  return (
    <div className={cx('flex min-w-0 flex-col gap-3', WINDOW)}>
      <PageHead
        title={<bdi className="break-all">{name}</bdi>}
        badge={<StateBadge state="stopped" word="Not here any more" />}
        note="Its file was removed. Its messages are kept, and it comes back when the file does."
      />
      <section aria-label="Conversation" className="flex min-h-0 min-w-0 flex-1 flex-col rounded border bg-panel">
        <Conversation channel={name} isOwn={isFromHere} notSent={0} sent={0} empty="Nothing was written in it." />
      </section>
    </div>
  );
}

function isFromHere(message: Message): boolean {
  return (message.direction === 'in') === (message.channel === CHAT);
}

function Talk({ channel, chat }: { channel: Channel; chat: boolean }) {
  const { data } = useInfiniteQuery(queries.messages(channel.name));
  const send = useSendMessage(channel.name);
  const say = useInjectMessage(channel.name);
  const mayNot = useMayNot(chat ? 'channels.inject' : 'channels.send');
  const [recipient, setRecipient] = useTextDraft(`recipient:${channel.name}`);
  const [sent, setSent] = useState(0);
  const box = useRef<HTMLTextAreaElement>(null);
  const messages = data?.pages.flatMap((page) => page.messages) ?? [];

  async function write(text: string, to: string) {
    if (chat) await say.mutateAsync({ text });
    else await send.mutateAsync({ text, ...(to === '' ? {} : { recipient: to }) });
    setSent((count) => count + 1);
  }

  return (
    <section aria-label="Conversation" className="flex min-h-0 min-w-0 flex-col rounded border bg-panel">
      <Conversation
        channel={channel.name}
        isOwn={isFromHere}
        notSent={channel.failed}
        sent={sent}
        {...(chat || mayNot !== null
          ? {}
          : {
              onAnswer: (sender: string) => {
                setRecipient(sender);
                box.current?.focus();
              },
            })}
        empty={
          mayNot !== null
            ? 'What is written to this channel appears here by itself.'
            : chat
              ? 'Write the first one below. With commands switched on, a text such as /help is answered.'
              : 'What is written to this channel appears here by itself. Write below, or put in a test message.'
        }
      />
      {mayNot === null ? (
        <Composer
          key={channel.name}
          ref={box}
          draft={`message:${channel.name}`}
          label={chat ? 'Write a message' : `Message to ${channel.name}`}
          onSend={write}
          {...(chat ? {} : { recipient: { value: recipient, suggestions: recentSenders(messages), onChange: setRecipient } })}
          note={chat || channel.state === 'connected' ? null : 'Not connected: what you send waits until it is.'}
        />
      ) : (
        <ReadOnlyNote className="border-t px-4 py-3">{mayNot}</ReadOnlyNote>
      )}
    </section>
  );
}
