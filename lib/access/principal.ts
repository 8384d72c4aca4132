import type { Action } from '#lib/contract/actions.ts';
import type { Role } from '#lib/contract/roles.ts';
import { ROLES } from './roles.ts';

/** Whoever reaches this server from its own machine. There are no accounts, so nothing more is known. */
export interface LocalPerson {
  readonly kind: 'local';
  /** The right admin token came along, or none is set. */
  readonly hasAdminRight: boolean;
}

/** Somebody of the team, signed in. */
export interface Member {
  readonly kind: 'member';
  readonly id: string;
  /** Unique in the team, whatever the case of its letters. */
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** The session by which the request came. */
  readonly sessionId: string;
}

/** A script or an agent with a token of the API. */
export interface TokenHolder {
  readonly kind: 'token';
  readonly id: string;
  /** As its maker called it. */
  readonly name: string;
  readonly ownerId: string;
  /** The name of who made it. */
  readonly owner: string;
  /** What the token was made for, and never more than its owner has now. */
  readonly role: Role;
  /** Null: any tool. */
  readonly tools: ReadonlySet<string> | null;
}

/** Of a team's server: somebody who has shown the admin token (`x-admin-token`) and nothing else. */
export interface KeyHolder {
  readonly kind: 'key';
}

/** Of a team's server: nobody has signed in. */
export interface Stranger {
  readonly kind: 'stranger';
}

/** Who asks. A further kind is a member here; `authorize` does not compile until it knows what it may. */
export type Principal = LocalPerson | Member | TokenHolder | KeyHolder | Stranger;

export const KEY_HOLDER: KeyHolder = { kind: 'key' };
export const STRANGER: Stranger = { kind: 'stranger' };
export const LOCAL_PERSON: LocalPerson = { kind: 'local', hasAdminRight: false };
export const LOCAL_ADMIN: LocalPerson = { kind: 'local', hasAdminRight: true };

/** What a local person may do with the admin right alone. */
export function isAdministrative(action: Action): boolean {
  return !ROLES.operator.has(action);
}
