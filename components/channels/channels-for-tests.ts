import type { Channel, Message } from '#lib/contract/channel.ts';
import type { Extension } from '#lib/contract/extension.ts';

/** A channel and its parts, to be varied by tests. */
export const clock: Channel = {
  name: 'clock',
  extension: 'channels/clock',
  description: 'Says the time.',
  state: 'connected',
  reason: null,
  retry_at: null,
  queued: 0,
  failed: 0,
  dropped: 0,
  last_message_at: '2026-11-22T10:00:00.000Z',
  commands: { enabled: false, tools: [] },
};

export const clockExtension: Extension = {
  id: 'channels/clock',
  kind: 'channel',
  runtime: 'node',
  state: 'ready',
  revision: 1,
  serving_revision: 1,
  pinned_revision: null,
  content_hash: null,
  path: 'channels/clock.ts',
  name: 'clock',
  description: 'Says the time.',
  instructions: '',
  tools: [],
  channels: ['clock'],
  failure: null,
  warnings: [],
  loaded_at: null,
  permissions: [],
  process: { state: 'running', pid: 7, restarts: 0, retry_at: null },
};

export function inbound(id: string, text: string, more: Partial<Message> = {}): Message {
  return {
    id,
    channel: 'clock',
    direction: 'in',
    text,
    sender: 'ada',
    recipient: null,
    metadata: {},
    state: 'received',
    error: null,
    attempts: 0,
    call_id: null,
    reply_to: null,
    injected: false,
    created_at: '2026-11-22T10:00:00.000Z',
    ...more,
  };
}

export function outbound(id: string, text: string, more: Partial<Message> = {}): Message {
  return inbound(id, text, { direction: 'out', sender: 'switchboard', recipient: 'ada', state: 'sent', attempts: 1, ...more });
}
