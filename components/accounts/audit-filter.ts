import { parseAsIsoDateTime, parseAsString, parseAsStringLiteral } from 'nuqs';
import type { AuditFilter } from '#lib/client/account-queries.ts';
import { AUDIT_OUTCOMES } from '#lib/contract/audit-events.ts';
import type { AuditOutcome } from '#lib/contract/audit-events.ts';

/** The filter as it stands in the address, and which entry is open. */
export const AUDIT_PARSERS = {
  q: parseAsString,
  actor: parseAsString,
  action: parseAsString,
  outcome: parseAsStringLiteral(AUDIT_OUTCOMES),
  from: parseAsIsoDateTime,
  to: parseAsIsoDateTime,
  entry: parseAsString,
};

export interface AuditValues {
  readonly q: string | null;
  readonly actor: string | null;
  readonly action: string | null;
  readonly outcome: AuditOutcome | null;
  readonly from: Date | null;
  readonly to: Date | null;
}

/** The same for the API; what is not set is not there. */
export function auditFilterOf({ q, actor, action, outcome, from, to }: AuditValues): AuditFilter {
  return {
    q: q?.trim() || undefined,
    actor: actor || undefined,
    action: action || undefined,
    outcome: outcome ?? undefined,
    from: from?.toISOString(),
    to: to?.toISOString(),
  };
}

/** What stands before the dot of an action, with what it is about. */
export const AUDIT_SUBJECTS = [
  ['session', 'Signing in and out'],
  ['sessions', 'Ending sessions'],
  ['team', 'First admin, coming in again'],
  ['invitations', 'Invitations'],
  ['members', 'Members and roles'],
  ['profile', 'Names and passwords'],
  ['tokens', 'Tokens'],
  ['extensions', 'Extensions: reload, restart, edit, pin'],
  ['tools', 'Calls of tools that change things'],
  ['saved_calls', 'Saved calls'],
  ['channels', 'Channels'],
  ['checks', 'Required checks'],
] as const;

const MINUTE_MS = 60_000;
export const AUDIT_SPANS = [
  { words: 'Last hour', ms: 60 * MINUTE_MS },
  { words: 'Last 24 hours', ms: 24 * 60 * MINUTE_MS },
  { words: 'Last 7 days', ms: 7 * 24 * 60 * MINUTE_MS },
  { words: 'Last 30 days', ms: 30 * 24 * 60 * MINUTE_MS },
] as const;
