import type { Action, Role } from '#lib/contract/actions.ts';
import { ROLES } from './roles.ts';

/** Anonymous user of a server without accounts. */
export interface LocalPerson {
  readonly kind: 'local';
  /** Sent the admin token, or none is set. */
  readonly hasAdminRight: boolean;
}

/** A signed-in member. */
export interface Member {
  readonly kind: 'member';
  readonly id: string;
  /** Unique, case-insensitive. */
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** Session of the request. */
  readonly sessionId: string;
}

/** A script or agent with an API token. */
export interface TokenHolder {
  readonly kind: 'token';
  readonly id: string;
  /** Name of the token. */
  readonly name: string;
  readonly ownerId: string;
  /** Name of its owner. */
  readonly owner: string;
  /** Role of the token, limited by its owner's current role. */
  readonly role: Role;
  /** Null: all tools. */
  readonly tools: ReadonlySet<string> | null;
  /** The toolset that it is limited to; absent or null: none. */
  readonly toolset?: string | null;
  /** Of a client that signed in by OAuth; absent for a token made by hand. */
  readonly oauth?: OAuthLimits;
}

export interface OAuthLimits {
  readonly scopes: ReadonlySet<Action>;
  /** The only address that accepts the token. */
  readonly resource: string;
}

/** With accounts: sent the admin token (`x-admin-token`), which gives the rights. */
export interface KeyHolder {
  readonly kind: 'key';
  /** The signed-in sender, if any. */
  readonly by?: Member | TokenHolder;
}

/** With accounts: not signed in. */
export interface Stranger {
  readonly kind: 'stranger';
}

/** The caller. `authorize` does not compile until it handles every kind. */
export type Principal = LocalPerson | Member | TokenHolder | KeyHolder | Stranger;

export const KEY_HOLDER: KeyHolder = { kind: 'key' };
export const STRANGER: Stranger = { kind: 'stranger' };
export const LOCAL_PERSON: LocalPerson = { kind: 'local', hasAdminRight: false };
export const LOCAL_ADMIN: LocalPerson = { kind: 'local', hasAdminRight: true };

/** Needs the admin token without accounts. */
export function isAdministrative(action: Action): boolean {
  return !ROLES.operator.has(action);
}

/** Visible tools: all, or those of the token. Returns the same array if nothing is filtered. */
export function visibleTools<Tool extends { readonly name: string }>(principal: Principal, tools: readonly Tool[]): readonly Tool[] {
  if (principal.kind !== 'token' || principal.tools === null) return tools;
  const { tools: names } = principal;
  return tools.filter(({ name }) => names.has(name));
}
