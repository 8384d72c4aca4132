'use client';

import { CodeText } from '#components/ui/CodeText.tsx';
import { useClockText } from '#components/ui/RelativeTime.tsx';
import { StateBadge, STATES } from '#components/ui/Badge.tsx';
import { cx } from '#components/ui/cx.ts';
import { CORE_EXTENSION } from '#lib/contract/states.ts';
import type { Channel } from '#lib/contract/channel.ts';
import type { Extension } from '#lib/contract/extension.ts';

const SECOND = 1_000;

export function stateInWords(channel: Pick<Channel, 'state' | 'retry_at'>, now: number): string {
  if (channel.state !== 'retrying' || channel.retry_at === null) return STATES[channel.state].word;
  const seconds = Math.ceil((Date.parse(channel.retry_at) - now) / SECOND);
  return seconds > 0 ? `Retrying in ${seconds} s` : 'Retrying now';
}

export function isInTrouble(channel: Channel): boolean {
  return channel.state === 'retrying' || channel.state === 'failed' || channel.failed > 0;
}

const STATE_ORDER = ['connected', 'connecting', 'retrying', 'failed', 'stopped'] as const;

export function channelsInWords(channels: readonly Channel[]): string {
  if (channels.length === 0) return 'None yet';
  const parts = STATE_ORDER.map((state) => ({ state, count: channels.filter((channel) => channel.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${STATES[state].word.toLowerCase()}`);
  return `${channels.length} ${channels.length === 1 ? 'channel' : 'channels'}: ${parts.join(', ')}`;
}

const LANGUAGES: Record<string, string> = { ts: 'TypeScript', mts: 'TypeScript', js: 'JavaScript', mjs: 'JavaScript', py: 'Python' };

export function kindInWords(channel: Pick<Channel, 'extension'>, extensions: readonly Extension[]): string {
  if (channel.extension === CORE_EXTENSION) return 'Built in';
  const path = extensions.find((extension) => extension.id === channel.extension)?.path ?? '';
  return LANGUAGES[path.slice(path.lastIndexOf('.') + 1)] ?? 'Extension';
}

export function queueInWords(queued: number): string {
  return queued === 0 ? 'Empty' : `${queued} queued`;
}

export function commandsInWords(commands: Channel['commands']): string {
  if (!commands.enabled) return 'Off';
  const named = commands.tools.filter((tool) => tool !== '*').length;
  if (commands.tools.includes('*')) return named === 0 ? 'All non-destructive tools' : `All non-destructive tools and ${named} by name`;
  return named === 0 ? 'On, no tool allowed' : `${named} ${named === 1 ? 'tool' : 'tools'}`;
}

export function notLoaded(channels: readonly Channel[], extensions: readonly Extension[]): readonly Extension[] {
  return extensions.filter(
    (extension) =>
      extension.kind === 'channel' && extension.state !== 'excluded' && !channels.some((channel) => channel.extension === extension.id),
  );
}

export function ChannelStateBadge({ channel }: { channel: Channel }) {
  const word = useClockText((now) => stateInWords(channel, now));
  return <StateBadge state={channel.state} word={word} className="tabular" />;
}

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

/** The first paragraph and the rest; '' for no rest. */
export function firstParagraph(text: string): { readonly first: string; readonly rest: string } {
  const [first = ''] = text.split(/\n[^\S\n]*\n/, 1);
  return { first: first.trim(), rest: text.slice(first.length).trim() };
}
