import * as z from 'zod';
import { EXTENSION_STATES } from './extension.ts';

export const snapshotCauseSchema = z.object({
  kind: z.enum([
    'start',
    'watch',
    'edit',
    'reload',
    'restart',
    'disable',
    'enable',
    'rollback',
    'pin',
    'unpin',
    'keep_alive',
    'crash',
    'recovery',
    'described',
    'secret',
  ]),
  actor: z.string().nullable(),
  /** Saved files that caused it, relative to the extensions folder. */
  files: z.array(z.string()),
});
export type SnapshotCause = z.infer<typeof snapshotCauseSchema>;

export const snapshotChangesSchema = z.object({
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
  failed: z.array(z.string()),
  recovered: z.array(z.string()),
  tools_added: z.array(z.string()),
  tools_removed: z.array(z.string()),
});
export type SnapshotChanges = z.infer<typeof snapshotChangesSchema>;

/** An extension in a snapshot. */
export const snapshotMemberSchema = z.object({
  id: z.string(),
  state: z.enum(EXTENSION_STATES),
  revision: z.number().int().nullable(),
  serving_revision: z.number().int().nullable(),
  pinned_revision: z.number().int().nullable(),
  tools: z.array(z.string()),
  /** Channel names; absent without any. */
  channels: z.array(z.string()).exactOptional(),
});
export type SnapshotMember = z.infer<typeof snapshotMemberSchema>;

/** Changes of a snapshot and their cause. */
export const snapshotSchema = z.object({
  version: z.number().int(),
  created_at: z.iso.datetime(),
  cause: snapshotCauseSchema,
  changes: snapshotChangesSchema,
  duration_ms: z.number(),
  calls_in_flight: z.number().int(),
  extensions: z.array(snapshotMemberSchema),
});
export type SnapshotRecord = z.infer<typeof snapshotSchema>;

export const snapshotPageSchema = z.object({ snapshots: z.array(snapshotSchema), next_cursor: z.string().nullable() });
export type SnapshotPage = z.infer<typeof snapshotPageSchema>;

export const pageQuerySchema = z.strictObject({
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type PageQuery = z.infer<typeof pageQuerySchema>;

/** `extension`: only snapshots in which it was added, changed, removed, failed or recovered. */
export const snapshotFilterSchema = pageQuerySchema.extend({
  extension: z.string().min(1).max(200).optional(),
  /** `true`: without the list of all extensions, which is empty then. */
  changes_only: z.enum(['true', 'false']).optional(),
});
export type SnapshotFilter = z.infer<typeof snapshotFilterSchema>;
