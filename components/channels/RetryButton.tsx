'use client';

import { RotateCw } from 'lucide-react';
import { Button } from '#components/ui/Button.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { useRetryChannel } from '#lib/client/mutations.ts';
import type { Channel } from '#lib/contract/channel.ts';

/** Connects at once instead of waiting out the pause; nothing where there is no pause. */
export function RetryButton({ channel }: { channel: Channel }) {
  const retry = useRetryChannel(channel.name);
  const pauses = channel.state === 'retrying' || channel.state === 'failed';
  if (!pauses && !retry.isPending && !retry.isError) return null;
  return (
    <>
      {!pauses && !retry.isPending ? null : (
        <Button size="sm" icon={<RotateCw aria-hidden />} pending={retry.isPending} onClick={() => retry.mutate()}>
          {retry.isPending ? 'Trying…' : 'Retry now'}
        </Button>
      )}
      {retry.isError ? (
        <p role="alert" className="foreign basis-full text-sm text-failed">
          {messageOf(retry.error)}
        </p>
      ) : null}
    </>
  );
}
