'use client';

import { useQuery } from '@tanstack/react-query';
import { ListLink } from '#components/ui/ListLink.tsx';
import { sortByName } from '#components/ui/name-order.ts';
import { Panel } from '#components/ui/Panel.tsx';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { ChannelStateBadge } from './ChannelState.tsx';

/** For the overview: every channel in one line, with what waits in it. */
export function ChannelStates() {
  const { data } = useQuery(queries.channels());
  if (data === undefined || data.channels.length === 0) return null;
  return (
    <Panel
      title="Channels"
      flush
      actions={
        <ListLink href={PAGES.channels} className="rounded-sm text-sm underline underline-offset-2">
          Show all
        </ListLink>
      }
    >
      <ul className="divide-y text-sm">
        {sortByName(data.channels, ({ name }) => name).map((channel) => (
          <li key={channel.name} className="relative flex min-w-0 items-center gap-3 px-4 py-1.5 hover:bg-hover">
            <ListLink
              href={PAGES.channel(channel.name)}
              title={channel.name}
              className="focus-inset min-w-0 flex-1 truncate rounded-sm font-medium row-link hover:underline"
            >
              <bdi>{channel.name}</bdi>
            </ListLink>
            {channel.queued === 0 ? null : <span className="tabular text-muted">{channel.queued} waiting</span>}
            {channel.failed === 0 ? null : <span className="tabular text-failed">{channel.failed} not sent</span>}
            <ChannelStateBadge channel={channel} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
