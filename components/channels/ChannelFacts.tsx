'use client';

import Link from 'next/link';
import { CodeText } from '#components/ui/CodeText.tsx';
import { Facts } from '#components/ui/Panel.tsx';
import { firstParagraph } from '#components/ui/paragraphs.ts';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { CORE_EXTENSION } from '#lib/contract/channel-names.ts';
import type { Channel } from '#lib/contract/channel.ts';
import type { Extension } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { kindInWords, queueInWords } from './channel-words.ts';
import { ChannelReason, ChannelStateBadge } from './ChannelState.tsx';
import { RetryButton } from './RetryButton.tsx';

/** How the channel is, and where it comes from. */
export function ChannelFacts({ channel, extensions }: { channel: Channel; extensions: readonly Extension[] }) {
  const core = channel.extension === CORE_EXTENSION;
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
          { name: 'Not sent', value: channel.failed === 0 ? 'None' : `${channel.failed}, to be sent again by hand` },
          ...(channel.dropped === 0
            ? []
            : [{ name: 'Left out', value: `${channel.dropped} that came faster than they can be kept, since the server started` }]),
          {
            name: 'Last message',
            value: channel.last_message_at === null ? 'None yet' : <RelativeTime time={channel.last_message_at} />,
          },
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
