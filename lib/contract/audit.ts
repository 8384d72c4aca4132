import { z } from 'zod';
import { ACTIONS } from './actions.ts';
import { LIMITS } from './limits.ts';
import { queryTime } from './query-time.ts';

/** Maximum length of a search. */
export const AUDIT_SEARCH_MOST = 200;

/** Audit log of a server with accounts: append-only. */

/**
 * Audit events in addition to the actions of `actions.ts`. The text follows a name: "Anna signed in".
 */
export const AUDIT_EVENTS = {
  'session.signed_in': 'signed in',
  'session.signed_out': 'signed out',
  'sessions.ended': 'ended all sessions of a member',
  'team.founded': 'became the first admin',
  'team.recovered': 'became an admin with a link from the server',
  'invitations.made': 'created an invitation',
  'invitations.withdrawn': 'revoked an invitation',
  'invitations.accepted': 'joined',
  'members.role_changed': 'changed a role',
  'members.deactivated': 'deactivated a member',
  'members.activated': 'activated a member',
  'profile.name_changed': 'changed their name',
  'profile.password_changed': 'changed their password',
  'tokens.made': 'created a token',
  'tokens.revoked': 'revoked a token',
  'tokens.refused': 'sent an invalid token',
} as const;
export type AuditEvent = keyof typeof AUDIT_EVENTS;

export const AUDIT_OUTCOMES = ['done', 'refused', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];
export const AUDIT_ACTOR_KINDS = ['member', 'token', 'key', 'stranger', 'channel', 'server'] as const;
export type AuditActorKind = (typeof AUDIT_ACTOR_KINDS)[number];

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

const WORDS: Readonly<Record<string, string>> = { ...ACTIONS, ...AUDIT_EVENTS };

/** Text of an entry. */
export function auditWords(action: string): string {
  return Object.hasOwn(WORDS, action) ? (WORDS[action] ?? action) : action;
}
