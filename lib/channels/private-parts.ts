import { z } from 'zod';
import type { Message } from '#lib/contract/channel.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';

/**
 * Text and metadata as they came, for as long as somebody may have to be answered with them or is still to be sent them. What is
 * stored had its secrets replaced, and an answer may need one (a token that is good for one reply). In memory only and bounded:
 * after a restart the stored form has to do.
 */
export interface PrivateParts {
  /** What may be stored. @param text of the message, without the secrets that it is known to have */
  keep(message: Message, text?: string): Message;
  /** As it came where that is still known, else as it is stored. */
  whole(stored: Message): Parts;
  forget(messageId: string): void;
}

type Parts = Pick<Message, 'text' | 'metadata'>;

const KEPT_MOST = 1_000;

const partsSchema = z.object({ text: z.string(), metadata: z.record(z.string(), z.unknown()) });

/** @param redact JSON text → the same without secrets */
export function createPrivateParts(redact: (json: string) => string): PrivateParts {
  const kept = new Map<string, Parts>();
  return {
    keep(message, text = message.text) {
      const json = JSON.stringify({ text, metadata: message.metadata });
      const cleaned = redact(json);
      if (cleaned === json && text === message.text) return message;
      const [oldest] = kept.keys();
      if (kept.size >= KEPT_MOST && oldest !== undefined) kept.delete(oldest);
      kept.set(message.id, { text: message.text, metadata: message.metadata });
      return { ...message, ...(cleaned === json ? { text } : partsSchema.parse(parseExactJson(cleaned))) };
    },
    whole: (stored) => kept.get(stored.id) ?? { text: stored.text, metadata: stored.metadata },
    forget: (messageId) => void kept.delete(messageId),
  };
}
