'use client';

import { CodeText } from '#components/ui/CodeText.tsx';
import { StateBadge } from '#components/ui/StateBadge.tsx';
import { useClockText } from '#components/ui/RelativeTime.tsx';
import { cx } from '#components/ui/cx.ts';
import type { Channel } from '#lib/contract/channel.ts';
import { stateInWords } from './channel-words.ts';

/** "Retrying in 8 s", counting down. */
export function ChannelStateBadge({ channel }: { channel: Channel }) {
  const word = useClockText((now) => stateInWords(channel, now));
  return <StateBadge state={channel.state} word={word} className="tabular" />;
}

/** Why it is so, in its own words. */
export function ChannelReason({ channel, className }: { channel: Channel; className?: string }) {
  if (channel.reason === null) return null;
  const bad = channel.state === 'retrying' || channel.state === 'failed';
  return (
    <p
      dir="auto"
      title={channel.reason}
      className={cx('foreign', bad ? (channel.state === 'failed' ? 'text-failed' : 'text-degraded') : 'text-muted', className)}
    >
      <CodeText text={channel.reason} />
    </p>
  );
}
