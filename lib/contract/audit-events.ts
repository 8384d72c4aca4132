import { ACTIONS } from './actions.ts';

/** Maximum length of a search. */
export const AUDIT_SEARCH_MOST = 200;

/** Audit events in addition to the actions of `actions.ts`. The text follows a name: "Anna signed in". */
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
  'clients.registered': 'registered an OAuth client',
  'clients.allowed': 'allowed an OAuth client',
  'clients.denied': 'denied an OAuth client',
  'clients.signed_in': 'signed in by OAuth',
  'clients.refreshed': 'renewed its OAuth token',
  'clients.reused': 'used an OAuth code or token twice',
  'clients.revoked': 'revoked an OAuth client',
} as const;

export const AUDIT_OUTCOMES = ['done', 'refused', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];
export const AUDIT_ACTOR_KINDS = ['member', 'token', 'key', 'stranger', 'channel', 'server'] as const;
export type AuditActorKind = (typeof AUDIT_ACTOR_KINDS)[number];

const WORDS: Readonly<Record<string, string>> = { ...ACTIONS, ...AUDIT_EVENTS };

/** Text of an entry. */
export function auditWords(action: string): string {
  return Object.hasOwn(WORDS, action) ? (WORDS[action] ?? action) : action;
}
