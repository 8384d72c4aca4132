'use client';

import { useQuery } from '@tanstack/react-query';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { sortByName } from '#components/ui/name-order.ts';
import { PageHead } from '#components/ui/PageHead.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { CORE_EXTENSION } from '#lib/contract/channel-names.ts';
import { channelsInWords, notLoaded } from './channel-words.ts';
import { ChannelCard, NotLoadedCard } from './ChannelCard.tsx';
import { HowToAdd } from './HowToAdd.tsx';

/** Every channel with its state, in words. */
export function ChannelsView({ folder }: { folder: string }) {
  const { data, error, refetch, isFetching } = useQuery(queries.channels());
  const { data: listed } = useQuery(queries.extensions());
  if (data === undefined) {
    return error === null ? (
      <Skeleton lines={8} label="Reading the channels…" />
    ) : (
      <ErrorState title="The channels could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
    );
  }
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
