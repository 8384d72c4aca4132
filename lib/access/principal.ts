import type { Action } from '#lib/contract/actions.ts';
import { ROLES } from './roles.ts';
import type { Role } from './roles.ts';

/** Whoever reaches this server from its own machine. There are no accounts, so nothing more is known. */
export interface LocalPerson {
  readonly kind: 'local';
  /** The right admin token came along, or none is set. */
  readonly hasAdminRight: boolean;
}

/** Who asks. A further kind is a member here; `roleOf` and `authorize` do not compile until they know what it may. */
export type Principal = LocalPerson;

export const LOCAL_PERSON: LocalPerson = { kind: 'local', hasAdminRight: false };
export const LOCAL_ADMIN: LocalPerson = { kind: 'local', hasAdminRight: true };

export function roleOf(principal: Principal): Role {
  switch (principal.kind) {
    case 'local':
      return principal.hasAdminRight ? 'admin' : 'operator';
  }
}

/** What a local person may do with the admin right alone. */
export function isAdministrative(action: Action): boolean {
  return !ROLES[roleOf(LOCAL_PERSON)].has(action);
}
