'use client';

import { useQuery } from '@tanstack/react-query';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { isInTrouble } from './channel-words.ts';
import { ChannelReason, ChannelStateBadge } from './ChannelState.tsx';

/**
 * For the overview: channels that do not connect, or have messages that were given up. Nothing when all is well, and
 * nothing of a file that did not load: that stands among the extensions already.
 */
export function ChannelTrouble() {
  const { data } = useQuery(queries.channels());
  const { data: listed } = useQuery(queries.extensions());
  const known = new Set((listed?.extensions ?? []).filter(({ state }) => state === 'failed').map(({ id }) => id));
  const trouble = (data?.channels ?? []).filter((channel) => isInTrouble(channel) && !known.has(channel.extension));
  if (trouble.length === 0) return null;
  return (
    <Panel title={trouble.length === 1 ? 'One channel needs you' : `${trouble.length} channels need you`} flush>
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
                  {channel.failed} {channel.failed === 1 ? 'message' : 'messages'} could not be sent
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
