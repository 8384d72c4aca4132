import { z } from 'zod';
import { AUDIT_ACTOR_KINDS, AUDIT_OUTCOMES, AUDIT_SEARCH_MOST } from './audit-events.ts';
import { LIMITS } from './limits.ts';
import { queryTime } from './query-time.ts';

/** Who did what to whom on a team's server: written once, never changed, never removed. */

/** What is known beside it; small, without secrets, without texts of files. */
const detailSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
export type AuditDetail = z.infer<typeof detailSchema>;

export const auditEntrySchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  actor: z.object({
    kind: z.enum(AUDIT_ACTOR_KINDS),
    /** Of the member or the token; null where there is none. */
    id: z.string().nullable(),
    /** As it was then. */
    name: z.string(),
  }),
  /** One of `AUDIT_EVENTS` or an action; newer servers may have more. */
  action: z.string(),
  /** What it was done to: an extension, a path, a tool, the name of a person; null for the server as a whole. */
  target: z.string().nullable(),
  outcome: z.enum(AUDIT_OUTCOMES),
  /** Of the connection; null for what came by none. */
  address: z.string().nullable(),
  detail: detailSchema,
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

export const auditPageSchema = z.object({ entries: z.array(auditEntrySchema), next_cursor: z.string().nullable() });
export type AuditPage = z.infer<typeof auditPageSchema>;

const auditSelectionSchema = z.strictObject({
  /** The name, exactly. */
  actor: z.string().max(300).optional(),
  /** The whole, or what stands before the dot. */
  action: z
    .string()
    .max(60)
    .regex(/^[a-z_]+(?:\.[a-z_]+)?$/, 'an action such as "extensions.edit", or what stands before its dot, is accepted')
    .optional(),
  outcome: z.enum(AUDIT_OUTCOMES).optional(),
  from: queryTime.optional(),
  /** Not any more. */
  to: queryTime.optional(),
  /** Somewhere in the name, the action, the target, the address or the detail, whatever the case. */
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
