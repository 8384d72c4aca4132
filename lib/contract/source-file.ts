import { z } from 'zod';
import { LIMITS } from './limits.ts';

/** Files of the extensions folder that can be read here; `path` is relative to it, with `/`. */
export const sourceTreeSchema = z.object({
  files: z.array(z.object({ path: z.string(), size: z.number().int() })),
  /** Whether there are more than are listed. */
  truncated: z.boolean(),
  /** Editing is turned off by READ_ONLY_EXTENSIONS. */
  read_only: z.boolean(),
});
export type SourceTree = z.infer<typeof sourceTreeSchema>;

export const sourceFileSchema = z.object({
  path: z.string(),
  text: z.string(),
  /** sha256 of the bytes; to be sent back with a change, so that nobody's work is overwritten. */
  hash: z.string(),
  modified_at: z.iso.datetime(),
});
export type SourceFile = z.infer<typeof sourceFileSchema>;

/** `expected_hash`: what the file was when it was read; null for a new one. */
export const sourceWriteSchema = z.strictObject({
  text: z.string().max(LIMITS.sourceFileBytes),
  expected_hash: z.string().length(64).nullable(),
});
export type SourceWrite = z.infer<typeof sourceWriteSchema>;

export const sourceRemovalSchema = z.strictObject({ expected_hash: z.string().length(64) });

/** What a change led to, once it was looked at. */
export const sourceChangeSchema = z.object({
  path: z.string(),
  /** Null when it was removed. */
  hash: z.string().nullable(),
  /** Extensions that are different now. */
  changed: z.array(z.string()),
});
export type SourceChange = z.infer<typeof sourceChangeSchema>;
