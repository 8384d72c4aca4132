import { randomUUIDv7 } from 'node:crypto';
import type { Message } from '#lib/contract/channel.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { ChannelMessage } from '#lib/runtime/runtime.ts';

const SENDER_CHARACTERS = 256;

/** What a channel brought, cut to what is kept; what was cut is said. */
export function inboundMessage(message: ChannelMessage, channel: string, now: number, isInjected: boolean): Message {
  const cuts: string[] = [];
  if (message.text.length > LIMITS.messageTextLength)
    cuts.push(
      `The text had ${message.text.length.toLocaleString('en')} characters and was cut to ${LIMITS.messageTextLength.toLocaleString('en')}.`,
    );
  const isLarge = Buffer.byteLength(JSON.stringify(message.metadata)) > LIMITS.messageMetadataBytes;
  if (isLarge) cuts.push(`The metadata was larger than ${LIMITS.messageMetadataBytes / 1_024} KiB and was left out.`);
  return {
    ...blank(channel, now),
    direction: 'in',
    text: message.text.slice(0, LIMITS.messageTextLength).toWellFormed(),
    sender: message.sender.slice(0, SENDER_CHARACTERS).toWellFormed(),
    metadata: isLarge ? {} : { ...message.metadata },
    error: cuts.length === 0 ? null : cuts.join(' '),
    injected: isInjected,
  };
}

export interface Outgoing {
  readonly text: string;
  readonly sender: string;
  readonly recipient: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly callId?: string | null;
  readonly replyTo?: string;
}

/** One that waits to be sent. */
export function outboundMessage(message: Outgoing, channel: string, now: number): Message {
  return {
    ...blank(channel, now),
    direction: 'out',
    state: 'queued',
    text: message.text.toWellFormed(),
    sender: message.sender,
    recipient: message.recipient,
    metadata: { ...message.metadata },
    call_id: message.callId ?? null,
    reply_to: message.replyTo ?? null,
  };
}

function blank(channel: string, now: number): Omit<Message, 'direction' | 'text' | 'sender' | 'metadata'> {
  return {
    id: randomUUIDv7(),
    channel,
    recipient: null,
    state: 'received',
    error: null,
    attempts: 0,
    call_id: null,
    reply_to: null,
    injected: false,
    created_at: new Date(now).toISOString(),
  };
}
