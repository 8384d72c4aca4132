'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import Link from 'next/link';
import { useRef, useState } from 'react';
import { QueryState } from '#components/ui/QueryState.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { Sheet } from '#components/ui/Dialog.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { Facts } from '#components/ui/Panel.tsx';
import { ReadOnlyNote } from '#components/ui/ReadOnlyNote.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateBadge } from '#components/ui/StateBadge.tsx';
import { Tabs } from '#components/ui/Tabs.tsx';
import { cx } from '#components/ui/cx.ts';
import { firstParagraph } from '#components/ui/paragraphs.ts';
import { useTextDraft } from '#components/ui/text-drafts.ts';
import { useMay, useMayNot } from '#lib/client/SessionProvider.tsx';
import { isApiProblem } from '#lib/client/api-problem.ts';
import { useInjectMessage, useSendMessage } from '#lib/client/mutations.ts';
import { useIsShared } from '#lib/client/instance-queries.ts';
import { queries } from '#lib/client/queries.ts';
import { CORE_EXTENSION } from '#lib/contract/states.ts';
import type { Channel, Message } from '#lib/contract/channel.ts';
import type { Extension } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { ChannelReason, ChannelStateBadge, kindInWords, queueInWords } from './ChannelState.tsx';
import { RetryButton } from './RetryButton.tsx';
import { CommandSettings } from './CommandSettings.tsx';
import { Composer, Conversation } from './Conversation.tsx';
import { InjectTest } from './InjectTest.tsx';
import { recentSenders } from './MessageItem.tsx';

/** The built-in chat: messages that people send here are inbound. */
const CHAT = 'web';

/** Fills the window without scrolling; its parts scroll. */
const WINDOW = 'min-h-112 grow basis-0 max-md:-mb-6';

export function ChannelDetail({ name }: { name: string }) {
  const { data: channel, error, refetch, isFetching } = useQuery(queries.channel(name));
  if (isApiProblem(error) && error.status === 404) return <Gone name={name} />;
  if (channel === undefined) {
    return <QueryState query={{ error, refetch, isFetching }} what="the channel" lines={10} />;
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
      <div className="grid min-h-0 min-w-0 flex-1 gap-4 xl:grid-cols-[minmax(0,1fr)_23rem]">
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

function Gone({ name }: { name: string }) {
  return (
    <div className={cx('flex min-w-0 flex-col gap-3', WINDOW)}>
      <PageHead
        title={<bdi className="break-all">{name}</bdi>}
        badge={<StateBadge state="stopped" word="Channel removed" />}
        note="Its file was removed. Its messages are kept; restore the file to bring it back."
      />
      <section aria-label="Conversation" className="flex min-h-0 min-w-0 flex-1 flex-col rounded border bg-panel">
        <Conversation channel={name} isOwn={isFromHere} notSent={0} sent={0} empty="No messages" />
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
            ? 'Messages to this channel appear here automatically.'
            : chat
              ? 'Write the first message below. With commands enabled, the channel answers messages such as /help.'
              : 'Messages appear here automatically. Write below, or inject a test message.'
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
          note={chat || channel.state === 'connected' ? null : 'Not connected: your messages are queued.'}
        />
      ) : (
        <ReadOnlyNote className="border-t px-4 py-3">{mayNot}</ReadOnlyNote>
      )}
    </section>
  );
}

/** State of the side panel that outlives its tabs and sheet. */
interface SideState {
  readonly tab: string;
  readonly draft: readonly string[] | null;
  readonly followed: Message | null;
}

function useSideState() {
  const [state, setState] = useState<SideState>({ tab: 'state', draft: null, followed: null });
  return [state, (change: Partial<SideState>) => setState((before) => ({ ...before, ...change }))] as const;
}

interface ChannelSideProps {
  channel: Channel;
  state: SideState;
  onChange: (change: Partial<SideState>) => void;
}

function ChannelSide({ channel, state, onChange }: ChannelSideProps) {
  const { data } = useQuery(queries.extensions());
  const mayInject = useMay('channels.inject');
  const tabs = [
    { id: 'state', label: 'State', content: <ChannelFacts channel={channel} extensions={data?.extensions ?? []} /> },
    {
      id: 'commands',
      label: 'Commands',
      note: channel.commands.enabled ? 'on' : 'off',
      content: <CommandSettings channel={channel} draft={state.draft} onDraft={(draft) => onChange({ draft })} />,
    },
    ...(mayInject
      ? [
          {
            id: 'test',
            label: 'Test',
            content: <InjectTest channel={channel} followed={state.followed} onInjected={(followed) => onChange({ followed })} />,
          },
        ]
      : []),
  ];
  return (
    <Tabs
      label="About the channel"
      value={state.tab}
      onChange={(tab) => onChange({ tab })}
      tabs={tabs.map((tab) => ({ ...tab, content: <div className="p-4">{tab.content}</div> }))}
      className="min-h-0 flex-1 [&>[role=tabpanel]]:overflow-y-auto"
    />
  );
}

function ChannelFacts({ channel, extensions }: { channel: Channel; extensions: readonly Extension[] }) {
  const core = channel.extension === CORE_EXTENSION;
  const isShared = useIsShared();
  const { rest } = firstParagraph(channel.description);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <ChannelStateBadge channel={channel} />
        <RetryButton channel={channel} />
      </div>
      <ChannelReason channel={channel} className="max-h-40 overflow-y-auto text-sm" />
      {rest === '' ? null : (
        <p dir="auto" className="foreign max-h-60 overflow-y-auto text-sm text-muted">
          <CodeText text={rest} />
        </p>
      )}
      <Facts
        items={[
          { name: 'Queue', value: queueInWords(channel.queued) },
          { name: 'Not sent', value: channel.failed === 0 ? 'None' : `${channel.failed}, retry manually` },
          ...(channel.dropped === 0
            ? []
            : [{ name: 'Dropped', value: `${channel.dropped} since the server started; they arrived faster than they could be stored` }]),
          {
            name: 'Last message',
            value: channel.last_message_at === null ? 'None yet' : <RelativeTime time={channel.last_message_at} />,
          },
          ...(isShared ? [{ name: 'Instance', value: <Owner channel={channel} /> }] : []),
          { name: 'Kind', value: kindInWords(channel, extensions) },
          ...(core
            ? []
            : [
                {
                  name: 'Extension',
                  value: (
                    <Link href={PAGES.extension(channel.extension)} className="rounded-sm break-all underline underline-offset-2">
                      {channel.extension}
                    </Link>
                  ),
                },
              ]),
        ]}
      />
    </div>
  );
}

/** The instance that receives and sends. */
function Owner({ channel: { name, instance } }: { channel: Channel }) {
  if (instance === null) return name === CHAT ? 'Each instance' : 'None yet';
  return (
    <Link
      href={PAGES.callsOfInstance(instance)}
      className="rounded-sm break-all underline underline-offset-2"
      title="Calls of this instance"
    >
      <code>{instance}</code>
    </Link>
  );
}
