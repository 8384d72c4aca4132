import * as z from 'zod';
import { AUDIT_ACTOR_KINDS, AUDIT_OUTCOMES, AUDIT_SEARCH_MOST } from './audit-events.ts';
import { LIMITS } from './limits.ts';
import { queryTime } from './call.ts';

/** Audit log of a server with accounts: append-only. */

/** Additional details; small, without secrets or file contents. */
const detailSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
export type AuditDetail = z.infer<typeof detailSchema>;

export const auditEntrySchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  actor: z.object({
    kind: z.enum(AUDIT_ACTOR_KINDS),
    /** Id of the member or token, or null. */
    id: z.string().nullable(),
    /** At that time. */
    name: z.string(),
  }),
  /** One of `AUDIT_EVENTS` or an action; newer servers may have more. */
  action: z.string(),
  /** Target: an extension, path, tool or person; null for the server. */
  target: z.string().nullable(),
  outcome: z.enum(AUDIT_OUTCOMES),
  /** Client address, or null. */
  address: z.string().nullable(),
  detail: detailSchema,
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

export const auditPageSchema = z.object({ entries: z.array(auditEntrySchema), next_cursor: z.string().nullable() });
export type AuditPage = z.infer<typeof auditPageSchema>;

const auditSelectionSchema = z.strictObject({
  /** Exact name. */
  actor: z.string().max(300).optional(),
  /** Complete action, or the part before the dot. */
  action: z
    .string()
    .max(60)
    .regex(/^[a-z_]+(?:\.[a-z_]+)?$/, 'an action such as "extensions.edit", or its part before the dot, is accepted')
    .optional(),
  outcome: z.enum(AUDIT_OUTCOMES).optional(),
  from: queryTime.optional(),
  /** Exclusive. */
  to: queryTime.optional(),
  /** Substring of name, action, target, address or detail; case-insensitive. */
  q: z.string().trim().max(AUDIT_SEARCH_MOST).optional(),
});
export type AuditSelection = z.infer<typeof auditSelectionSchema>;

export const auditQuerySchema = auditSelectionSchema.extend({
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(LIMITS.listMost).default(LIMITS.listDefault),
});
export type AuditQuery = z.infer<typeof auditQuerySchema>;

export const auditExportQuerySchema = auditSelectionSchema.extend({ format: z.enum(['ndjson', 'csv']).default('ndjson') });
export type AuditExportQuery = z.infer<typeof auditExportQuerySchema>;
