import { randomUUIDv7 } from 'node:crypto';
import * as z from 'zod';
import type { Message } from '#lib/contract/channel.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { ChannelMessage } from '#lib/runtime/runtime.ts';

/**
 * Original text and metadata of messages that may still be answered or sent. Their stored form has no secrets, but a reply may
 * need one (for example a single-use reply token). In memory only and limited: after a restart the stored form is used.
 */
export interface PrivateParts {
  /** Storable form. @param text of the message, without its known secrets */
  keep(message: Message, text?: string): Message;
  /** The original if still in memory, else the stored form. */
  originalOf(stored: Message): Parts;
  forget(messageId: string): void;
}

type Parts = Pick<Message, 'text' | 'metadata'>;

const ORIGINALS_MOST = 1_000;

const partsSchema = z.object({ text: z.string(), metadata: z.record(z.string(), z.unknown()) });

/** @param redact JSON text → the same without secrets */
export function createPrivateParts(redact: (json: string) => string): PrivateParts {
  const originals = new Map<string, Parts>();
  return {
    keep(message, text = message.text) {
      const json = JSON.stringify({ text, metadata: message.metadata });
      const cleaned = redact(json);
      if (cleaned === json && text === message.text) return message;
      const [oldest] = originals.keys();
      if (originals.size >= ORIGINALS_MOST && oldest !== undefined) originals.delete(oldest);
      originals.set(message.id, { text: message.text, metadata: message.metadata });
      return { ...message, ...(cleaned === json ? { text } : partsSchema.parse(parseExactJson(cleaned))) };
    },
    originalOf: (stored) => originals.get(stored.id) ?? { text: stored.text, metadata: stored.metadata },
    forget: (messageId) => void originals.delete(messageId),
  };
}

/** An inbound message, truncated to the limits with a note. */
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
    sender: message.sender.toWellFormed(),
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

/** A queued message. */
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
