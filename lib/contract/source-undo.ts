import { z } from 'zod';

/** The query of `GET /extensions/{id}/undo`. */
export const undoQuerySchema = z.strictObject({ revision: z.coerce.number().int().positive() });

/** A file that is not what the revision had. */
export const undoFileSchema = z.object({
  path: z.string(),
  /** Null when it is not there now. */
  before: z.string().nullable(),
  /** sha256 of what is there now; to be sent back. */
  hash: z.string().nullable(),
  after: z.string(),
  /** Other extensions that use it, and get it as it was too. */
  used_by: z.array(z.string()),
});
export type UndoFile = z.infer<typeof undoFileSchema>;

/** What it takes to have the files of an extension as they were in one of its revisions. */
export const undoPlanSchema = z.object({
  extension: z.string(),
  revision: z.number().int(),
  /** Editing is turned off by READ_ONLY_EXTENSIONS. */
  read_only: z.boolean(),
  files: z.array(undoFileSchema),
  /** How many files are as they were. */
  same: z.number().int(),
  /** What the newest revision uses, the one asked for did not, and nobody else does: kept, unless it is asked to be removed. */
  extra: z.array(z.object({ path: z.string(), hash: z.string() })),
  /** What is not as it was and cannot be written back, and why. */
  left: z.array(z.object({ path: z.string(), reason: z.string() })),
});
export type UndoPlan = z.infer<typeof undoPlanSchema>;

const hash = z.string().length(64);

/** `files`: every file that is to be written, with its hash as it was seen; `remove`: any of the extra files. */
export const undoRequestSchema = z.strictObject({
  revision: z.number().int().positive(),
  files: z.record(z.string(), hash.nullable()),
  remove: z.record(z.string(), hash).default({}),
});
export type UndoRequest = z.infer<typeof undoRequestSchema>;

/** What was done, once what follows from it is loaded or has failed. */
export const undoneSchema = z.object({
  extension: z.string(),
  revision: z.number().int(),
  written: z.array(z.string()),
  removed: z.array(z.string()),
  /** Extensions that are different now. */
  changed: z.array(z.string()),
});
export type Undone = z.infer<typeof undoneSchema>;
