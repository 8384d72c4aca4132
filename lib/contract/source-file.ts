import * as z from 'zod';
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

/** The query of `GET /extensions/{id}/undo`. */
export const undoQuerySchema = z.strictObject({ revision: z.coerce.number().int().positive() });

/** A file that differs from the revision. */
const undoFileSchema = z.object({
  path: z.string(),
  /** Null if missing now. */
  before: z.string().nullable(),
  /** SHA-256 of the current file; send it back. */
  hash: z.string().nullable(),
  after: z.string(),
  /** Other extensions that use it and are affected. */
  used_by: z.array(z.string()),
});
export type UndoFile = z.infer<typeof undoFileSchema>;

/** Plan to restore the files of a revision. */
export const undoPlanSchema = z.object({
  extension: z.string(),
  revision: z.number().int(),
  /** READ_ONLY_EXTENSIONS is set. */
  read_only: z.boolean(),
  files: z.array(undoFileSchema),
  /** Number of unchanged files. */
  same: z.number().int(),
  /** Files only of later revisions: kept unless named in `remove`. */
  extra: z.array(z.object({ path: z.string(), hash: z.string() })),
  /** Files that cannot be restored, and why. */
  left: z.array(z.object({ path: z.string(), reason: z.string() })),
});
export type UndoPlan = z.infer<typeof undoPlanSchema>;

const hash = z.string().length(64);

/** `files`: every file to write, with its current hash; `remove`: any of the extra files. */
export const undoRequestSchema = z.strictObject({
  revision: z.number().int().positive(),
  files: z.record(z.string(), hash.nullable()),
  remove: z.record(z.string(), hash).default({}),
});
export type UndoRequest = z.infer<typeof undoRequestSchema>;

/** Result after the load. */
export const undoneSchema = z.object({
  extension: z.string(),
  revision: z.number().int(),
  written: z.array(z.string()),
  removed: z.array(z.string()),
  /** Changed extensions. */
  changed: z.array(z.string()),
});
export type Undone = z.infer<typeof undoneSchema>;

export const NEW_KINDS = ['tool', 'tools', 'channel', 'mcp'] as const;
export type NewKind = (typeof NEW_KINDS)[number];

export const newExtensionSchema = z.strictObject({
  kind: z.enum(NEW_KINDS),
  name: z.string().min(1).max(200),
  language: z.enum(['typescript', 'python']).default('typescript'),
});
export type NewExtension = z.output<typeof newExtensionSchema>;

/** The new extension's id and files, relative to the extensions folder; the first is the one to open. */
export const newExtensionMadeSchema = z.object({ id: z.string(), files: z.array(z.string()) });
export type NewExtensionMade = z.infer<typeof newExtensionMadeSchema>;
