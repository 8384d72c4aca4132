'use client';

import { RotateCw } from 'lucide-react';
import { LinkButton } from '#components/ui/Button.tsx';
import { TransientButton } from '#components/ui/TransientButton.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { useRetryChannel } from '#lib/client/mutations.ts';
import { CORE_EXTENSION } from '#lib/contract/states.ts';
import type { Channel } from '#lib/contract/channel.ts';
import { PAGES } from '#lib/contract/paths.ts';

/** Null without a retry timer. A channel of a failed extension is not retried: its extension page has the fix. */
export function RetryButton({ channel }: { channel: Channel }) {
  const retry = useRetryChannel(channel.name);
  const mayRetry = useMay('channels.retry');
  if (channel.state === 'failed' && channel.extension !== CORE_EXTENSION)
    return (
      <LinkButton size="sm" href={PAGES.extension(channel.extension)}>
        Open the extension
      </LinkButton>
    );
  const pauses = channel.state === 'retrying' || channel.state === 'failed';
  if (!mayRetry || (!pauses && !retry.isPending && !retry.isError)) return null;
  return (
    <>
      {!pauses && !retry.isPending ? null : (
        <TransientButton focusFallback="[tabindex]" size="sm" icon={<RotateCw />} pending={retry.isPending} onClick={() => retry.mutate()}>
          {retry.isPending ? 'Retrying…' : 'Retry now'}
        </TransientButton>
      )}
      <ProblemLine error={retry.error} className="basis-full" />
    </>
  );
}
