import { z } from 'zod';
import { LIMITS } from './limits.ts';

/** Files of the extensions folder that can be read here; `path` is relative to it, with `/`. */
export const sourceTreeSchema = z.object({
  files: z.array(z.object({ path: z.string(), size: z.number().int() })),
  /** Whether more files exist. */
  truncated: z.boolean(),
  /** READ_ONLY_EXTENSIONS is set. */
  read_only: z.boolean(),
});
export type SourceTree = z.infer<typeof sourceTreeSchema>;

export const sourceFileSchema = z.object({
  path: z.string(),
  text: z.string(),
  /** SHA-256 of the bytes; send it back with a change to prevent lost updates. */
  hash: z.string(),
  modified_at: z.iso.datetime(),
});
export type SourceFile = z.infer<typeof sourceFileSchema>;

/** `expected_hash`: hash when read; null for a new file. */
export const sourceWriteSchema = z.strictObject({
  text: z.string().max(LIMITS.sourceFileBytes),
  expected_hash: z.string().length(64).nullable(),
});
export type SourceWrite = z.infer<typeof sourceWriteSchema>;

export const sourceRemovalSchema = z.strictObject({ expected_hash: z.string().length(64) });

/** Result of a change after the load. */
export const sourceChangeSchema = z.object({
  path: z.string(),
  /** Null if deleted. */
  hash: z.string().nullable(),
  /** Changed extensions. */
  changed: z.array(z.string()),
});
export type SourceChange = z.infer<typeof sourceChangeSchema>;
