import { auditWords } from '#lib/contract/audit-events.ts';
import type { AuditDetail } from '#lib/contract/audit.ts';
import type { AuditActorKind, AuditOutcome } from '#lib/contract/audit-events.ts';

/** "Signed in", "Reloading extensions": what was done, as the beginning of a line. */
export function whatInWords(action: string): string {
  const words = auditWords(action);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export const OUTCOME_WORDS: Readonly<Record<AuditOutcome, string>> = { done: 'Done', refused: 'Refused', failed: 'Failed' };

export const ACTOR_WORDS: Readonly<Record<AuditActorKind, string>> = {
  member: 'Member',
  token: 'Token',
  key: 'Admin token of the server',
  stranger: 'Not signed in',
  channel: 'Somebody in a channel',
  server: 'The server itself',
};

/** The facts that were written down beside an entry, with names for people. */
export function detailFacts(detail: AuditDetail): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(detail).map(([name, value]) => {
    const words = name.replaceAll('_', ' ');
    return { name: `${words.charAt(0).toUpperCase()}${words.slice(1)}`, value: value === null ? '–' : String(value) };
  });
}
