'use client';

import { ListLink } from '#components/ui/ListLink.tsx';
import { Badge } from '#components/ui/Badge.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { firstParagraph } from '#components/ui/paragraphs.ts';
import { Facts } from '#components/ui/Panel.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateBadge, StateText } from '#components/ui/StateBadge.tsx';
import { CORE_EXTENSION } from '#lib/contract/channel-names.ts';
import type { Channel } from '#lib/contract/channel.ts';
import type { Extension } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { commandsInWords, kindInWords, queueInWords } from './channel-words.ts';
import { ChannelReason, ChannelStateBadge } from './ChannelState.tsx';
import { RetryButton } from './RetryButton.tsx';

const FRAME = 'relative flex min-w-0 flex-col gap-3 rounded border bg-panel p-4 has-[h2_a:hover]:border-line-strong';
const TITLE = 'focus-inset rounded-sm text-lg font-semibold break-all row-link hover:underline';

/** One channel at a glance; the card leads to its conversation. */
export function ChannelCard({ channel, extensions }: { channel: Channel; extensions: readonly Extension[] }) {
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
            name: 'Not sent',
            value: channel.failed === 0 ? 'None' : <StateText state="failed" word={`${channel.failed} to be sent again`} />,
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
        {channel.extension === CORE_EXTENSION ? (
          <span>Part of Switchboard</span>
        ) : (
          <ListLink
            href={PAGES.extension(channel.extension)}
            title={channel.extension}
            className="relative z-1 min-w-0 truncate rounded-sm underline underline-offset-2"
          >
            {channel.extension}
          </ListLink>
        )}
      </p>
    </li>
  );
}

/** A file that was to be a channel and could not be loaded: it leads to what is wrong. */
export function NotLoadedCard({ extension }: { extension: Extension }) {
  return (
    <li className={FRAME}>
      <div className="flex min-w-0 flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h2 className="min-w-0">
          <ListLink href={PAGES.extension(extension.id)} className={TITLE}>
            {extension.id}
          </ListLink>
        </h2>
        <StateBadge state={extension.state} {...(extension.state === 'failed' ? { word: 'Not loaded' } : {})} />
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
