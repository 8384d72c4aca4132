'use client';

import { useQuery } from '@tanstack/react-query';
import { QueryState } from '#components/ui/QueryState.tsx';
import { Badge, StateBadge, StateText } from '#components/ui/Badge.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Facts, PageHead, Panel } from '#components/ui/Panel.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { sortByName } from '#components/ui/name-order.ts';
import { queries } from '#lib/client/queries.ts';
import { CORE_EXTENSION } from '#lib/contract/states.ts';
import type { Channel } from '#lib/contract/channel.ts';
import type { Extension } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import {
  ChannelReason,
  channelsInWords,
  ChannelStateBadge,
  commandsInWords,
  firstParagraph,
  kindInWords,
  notLoaded,
  queueInWords,
} from './ChannelState.tsx';
import { RetryButton } from './RetryButton.tsx';

export function ChannelsView({ folder }: { folder: string }) {
  const { data, error, refetch, isFetching } = useQuery(queries.channels());
  const { data: listed } = useQuery(queries.extensions());
  if (data === undefined) return <QueryState query={{ error, refetch, isFetching }} what="the channels" lines={8} />;
  const extensions = listed?.extensions ?? [];
  const broken = notLoaded(data.channels, extensions);
  const own = data.channels.some((channel) => channel.extension !== CORE_EXTENSION) || broken.length > 0;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead title="Channels" note={<span className="tabular">{channelsInWords(data.channels)}</span>} />
      {data.channels.length + broken.length === 0 ? null : (
        <ul aria-label="Channels" className="grid min-w-0 grid-cols-[repeat(auto-fill,minmax(min(20rem,100%),1fr))] gap-4">
          {sortByName(broken, ({ id }) => id).map((extension) => (
            <NotLoadedCard key={extension.id} extension={extension} />
          ))}
          {sortByName(data.channels, ({ name }) => name).map((channel) => (
            <ChannelCard key={channel.name} channel={channel} extensions={extensions} />
          ))}
        </ul>
      )}
      {own ? null : <HowToAdd folder={folder} telegram={data.channels.some((channel) => channel.name === 'telegram')} />}
    </div>
  );
}

const FRAME = 'relative flex min-w-0 flex-col gap-3 rounded border bg-panel p-4 has-[h2_a:hover]:border-line-strong';
const TITLE = 'focus-inset rounded-sm text-lg font-semibold break-all row-link hover:underline';

function ChannelCard({ channel, extensions }: { channel: Channel; extensions: readonly Extension[] }) {
  return (
    <li className={FRAME}>
      <div className="flex min-w-0 flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h2 className="min-w-0">
          <ListLink href={PAGES.channel(channel.name)} className={TITLE}>
            <bdi>{channel.name}</bdi>
          </ListLink>
        </h2>
        <ChannelStateBadge channel={channel} />
      </div>
      {channel.description === '' ? null : (
        <p dir="auto" title={channel.description} className="foreign -mt-2 line-clamp-2 text-muted">
          <CodeText text={firstParagraph(channel.description).first} />
        </p>
      )}
      <Facts
        items={[
          { name: 'Queue', value: queueInWords(channel.queued) },
          {
            name: 'Failed deliveries',
            value: channel.failed === 0 ? 'None' : <StateText state="failed" word={String(channel.failed)} />,
          },
          { name: 'Commands', value: commandsInWords(channel.commands) },
          { name: 'Last message', value: channel.last_message_at === null ? 'None yet' : <RelativeTime time={channel.last_message_at} /> },
        ]}
      />
      <ChannelReason channel={channel} className="line-clamp-4" />
      <div className="relative z-1 flex flex-wrap gap-2 empty:hidden">
        <RetryButton channel={channel} />
      </div>
      <p className="mt-auto flex min-w-0 items-center gap-2 border-t pt-3 text-sm text-muted">
        <Badge>{kindInWords(channel, extensions)}</Badge>
        {channel.extension === CORE_EXTENSION ? null : (
          <ListLink href={PAGES.extension(channel.extension)} title={channel.extension} className="link relative z-1 min-w-0 truncate">
            {channel.extension}
          </ListLink>
        )}
      </p>
    </li>
  );
}

function NotLoadedCard({ extension }: { extension: Extension }) {
  return (
    <li className={FRAME}>
      <div className="flex min-w-0 flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h2 className="min-w-0">
          <ListLink href={PAGES.extension(extension.id)} className={TITLE}>
            {extension.id}
          </ListLink>
        </h2>
        <StateBadge state={extension.state} word={extension.state === 'failed' ? 'Not loaded' : undefined} />
      </div>
      {extension.failure === null ? null : (
        <>
          <p dir="auto" className="foreign line-clamp-4 text-failed">
            <CodeText text={extension.failure.error} />
          </p>
          <p dir="auto" className="foreign line-clamp-3 text-sm text-muted">
            <CodeText text={extension.failure.hint} />
          </p>
        </>
      )}
    </li>
  );
}

const TEMPLATE = `/** Says the time once a minute. */
export function connect() {}

export async function recv() {
  await new Promise((done) => setTimeout(done, 60_000));
  const text = new Date().toISOString();
  return { text, sender: 'clock', channel: 'clock' };
}

export async function send(message) {
  console.log(message.metadata?.recipient, message.text);
}
`;

function HowToAdd({ folder, telegram }: { folder: string; telegram: boolean }) {
  return (
    <Panel title="Add a channel">
      <div className="grid min-w-0 gap-4 xl:grid-cols-[minmax(0,26rem)_minmax(0,1fr)] xl:gap-8">
        <div className="flex min-w-0 flex-col gap-3">
          <p>A channel receives and sends messages: a chat, a mailbox, a queue. It is one file with three functions.</p>
          <ol className="flex list-decimal flex-col gap-2 pl-5">
            <li>
              Put a file such as <code className="text-sm">clock.ts</code> or <code className="text-sm">clock.py</code> into
              <code className="my-1 block w-fit max-w-full rounded-sm bg-subtle px-2 py-1 text-sm break-all">{folder}/channels</code>
            </li>
            <li>
              <code className="text-sm">connect</code> opens it, <code className="text-sm">recv</code> waits for the next message,{' '}
              <code className="text-sm">send</code> sends one. It appears here as soon as it is saved.
            </li>
            <li>Switchboard retries the connection automatically. No messages are lost.</li>
          </ol>
          {telegram ? null : (
            <p className="text-muted">
              Telegram needs no file: start the server with <code className="text-sm">TELEGRAM_BOT_TOKEN</code>.
            </p>
          )}
        </div>
        <CodeBlock code={TEMPLATE} label="Example channel" copyLabel="Copy example" />
      </div>
    </Panel>
  );
}
