import { z } from 'zod';

/**
 * Metadata as it came, for as long as somebody may have to be answered with it. What is stored had its secrets replaced, and an
 * answer may need one (a token that is good for one reply). In memory only and bounded: after a restart the stored form has to do.
 */
export interface PrivateMetadata {
  /** What may be stored. */
  keep(messageId: string, metadata: Metadata): Metadata;
  /** As it came where that is still known, else `stored`. */
  whole(messageId: string, stored: Metadata): Metadata;
  forget(messageId: string): void;
}

export type Metadata = Readonly<Record<string, unknown>>;

const KEPT_MOST = 1_000;

const metadataSchema = z.record(z.string(), z.unknown());

/** @param redact JSON text → the same without secrets */
export function createPrivateMetadata(redact: (json: string) => string): PrivateMetadata {
  const kept = new Map<string, Metadata>();
  return {
    keep(messageId, metadata) {
      const json = JSON.stringify(metadata);
      const cleaned = redact(json);
      if (cleaned === json) return metadata;
      const [oldest] = kept.keys();
      if (kept.size >= KEPT_MOST && oldest !== undefined) kept.delete(oldest);
      kept.set(messageId, metadata);
      return metadataSchema.parse(JSON.parse(cleaned));
    },
    whole: (messageId, stored) => kept.get(messageId) ?? stored,
    forget: (messageId) => void kept.delete(messageId),
  };
}
