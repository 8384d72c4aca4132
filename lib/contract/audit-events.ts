import { ACTIONS } from './actions.ts';

/** Characters of a search in it. */
export const AUDIT_SEARCH_MOST = 200;

/**
 * What is written down beside the actions of `actions.ts`, which have their own names here too. The words follow a name:
 * "Anna signed in".
 */
export const AUDIT_EVENTS = {
  'session.signed_in': 'signed in',
  'session.signed_out': 'signed out',
  'sessions.ended': 'ended all sessions of a person',
  'team.founded': 'became the first admin',
  'team.recovered': 'became an admin by a link of the server',
  'invitations.made': 'made an invitation',
  'invitations.withdrawn': 'withdrew an invitation',
  'invitations.accepted': 'joined',
  'members.role_changed': 'changed a role',
  'members.deactivated': 'deactivated a person',
  'members.activated': 'activated a person',
  'profile.name_changed': 'changed the own name',
  'profile.password_changed': 'changed the own password',
  'tokens.made': 'made a token',
  'tokens.revoked': 'revoked a token',
  'tokens.refused': 'sent a token that is not accepted',
} as const;

export const AUDIT_OUTCOMES = ['done', 'refused', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];
export const AUDIT_ACTOR_KINDS = ['member', 'token', 'key', 'stranger', 'channel', 'server'] as const;
export type AuditActorKind = (typeof AUDIT_ACTOR_KINDS)[number];

const WORDS: Readonly<Record<string, string>> = { ...ACTIONS, ...AUDIT_EVENTS };

/** What an entry tells, for people. */
export function auditWords(action: string): string {
  return Object.hasOwn(WORDS, action) ? (WORDS[action] ?? action) : action;
}
