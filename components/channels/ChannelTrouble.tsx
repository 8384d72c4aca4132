'use client';

import { useQuery } from '@tanstack/react-query';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { sortByName } from '#components/ui/name-order.ts';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { ChannelReason, ChannelStateBadge, isInTrouble } from './ChannelState.tsx';

/** Channels that failed to load are listed with the extensions. */
export function ChannelTrouble() {
  const { data } = useQuery(queries.channels());
  const { data: listed } = useQuery(queries.extensions());
  const known = new Set((listed?.extensions ?? []).filter(({ state }) => state === 'failed').map(({ id }) => id));
  const trouble = (data?.channels ?? []).filter((channel) => isInTrouble(channel) && !known.has(channel.extension));
  if (trouble.length === 0) return null;
  return (
    <Panel title={trouble.length === 1 ? '1 channel needs attention' : `${trouble.length} channels need attention`} flush>
      <ul className="divide-y">
        {trouble.map((channel) => (
          <li key={channel.name} className="relative flex flex-col gap-1 px-4 py-3 hover:bg-hover">
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <ListLink
                href={PAGES.channel(channel.name)}
                className="focus-inset min-w-0 rounded-sm font-semibold break-all row-link hover:underline"
              >
                <bdi>{channel.name}</bdi>
              </ListLink>
              <ChannelStateBadge channel={channel} />
              {channel.failed === 0 ? null : (
                <span className="tabular text-sm text-muted">
                  {channel.failed} {channel.failed === 1 ? 'message' : 'messages'} failed to send
                </span>
              )}
            </span>
            <ChannelReason channel={channel} className="line-clamp-2" />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function ChannelStates() {
  const { data } = useQuery(queries.channels());
  if (data === undefined || data.channels.length === 0) return null;
  return (
    <Panel
      title="Channels"
      flush
      actions={
        <ListLink href={PAGES.channels} className="link text-sm">
          Show all
        </ListLink>
      }
    >
      <ul className="divide-y text-sm">
        {sortByName(data.channels, ({ name }) => name).map((channel) => (
          <li key={channel.name} className="relative flex min-w-0 items-center gap-3 px-4 py-2 hover:bg-hover">
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
