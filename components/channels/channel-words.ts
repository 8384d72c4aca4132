import { STATES } from '#components/ui/states.ts';
import { CORE_EXTENSION } from '#lib/contract/channel-names.ts';
import type { Channel } from '#lib/contract/channel.ts';
import type { Extension } from '#lib/contract/extension.ts';

const SECOND = 1_000;

/** "Connected", "Retrying in 8 s". */
export function stateInWords(channel: Pick<Channel, 'state' | 'retry_at'>, now: number): string {
  if (channel.state !== 'retrying' || channel.retry_at === null) return STATES[channel.state].word;
  const seconds = Math.ceil((Date.parse(channel.retry_at) - now) / SECOND);
  return seconds > 0 ? `Retrying in ${seconds} s` : 'Retrying now';
}

/** Whether somebody has to look: it does not connect, or messages were given up. */
export function isInTrouble(channel: Channel): boolean {
  return channel.state === 'retrying' || channel.state === 'failed' || channel.failed > 0;
}

const STATE_ORDER = ['connected', 'connecting', 'retrying', 'failed', 'stopped'] as const;

/** "3 channels: 2 connected, 1 retrying". */
export function channelsInWords(channels: readonly Channel[]): string {
  if (channels.length === 0) return 'None yet';
  const parts = STATE_ORDER.map((state) => ({ state, count: channels.filter((channel) => channel.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${STATES[state].word.toLowerCase()}`);
  return `${channels.length} ${channels.length === 1 ? 'channel' : 'channels'}: ${parts.join(', ')}`;
}

const LANGUAGES: Record<string, string> = { ts: 'TypeScript', mts: 'TypeScript', js: 'JavaScript', mjs: 'JavaScript', py: 'Python' };

/** What it is written in: "Built in", "TypeScript", "Python". */
export function kindInWords(channel: Pick<Channel, 'extension'>, extensions: readonly Extension[]): string {
  if (channel.extension === CORE_EXTENSION) return 'Built in';
  const path = extensions.find((extension) => extension.id === channel.extension)?.path ?? '';
  return LANGUAGES[path.slice(path.lastIndexOf('.') + 1)] ?? 'Extension';
}

/** "3 wait to be sent", "nothing waits". */
export function queueInWords(queued: number): string {
  return queued === 0 ? 'Nothing waits' : `${queued} ${queued === 1 ? 'waits' : 'wait'} to be sent`;
}

/** Of the commands: "Off", "Every tool", "3 tools". */
export function commandsInWords(commands: Channel['commands']): string {
  if (!commands.enabled) return 'Off';
  if (commands.tools.includes('*')) return 'Every tool that deletes nothing';
  return commands.tools.length === 0
    ? 'On, but no tool is allowed'
    : `${commands.tools.length} ${commands.tools.length === 1 ? 'tool' : 'tools'}`;
}

/** Extensions that were to be a channel and are none: their failure is the only sign of them. */
export function notLoaded(channels: readonly Channel[], extensions: readonly Extension[]): readonly Extension[] {
  return extensions.filter(
    (extension) =>
      extension.kind === 'channel' && extension.state !== 'excluded' && !channels.some((channel) => channel.extension === extension.id),
  );
}
