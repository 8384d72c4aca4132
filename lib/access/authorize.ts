import { ACTIONS } from '#lib/contract/actions.ts';
import type { Action } from '#lib/contract/actions.ts';
import { roleOf } from './principal.ts';
import type { Principal } from './principal.ts';
import { ROLE_NAMES, ROLES } from './roles.ts';

/**
 * The one question that every entry asks: gate, fast lane, route handlers, pages, event streams and MCP methods. It is on the
 * path of every call, so it is one look into a set; it reads nothing, so it can be asked before anything is looked up.
 */
export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly missing: string };

const ALLOWED: Decision = { allowed: true };
const NAME_SHOWN = 100;

/**
 * Denied unless the role of the principal has the action. `missing` says in a sentence what would be needed.
 * @param resource what it is done to, as the request names it; null for none
 */
export function authorize(principal: Principal, action: Action, resource: string | null): Decision {
  if (ROLES[roleOf(principal)].has(action)) return ALLOWED;
  return { allowed: false, missing: missingFor(principal, action, resource) };
}

function missingFor(principal: Principal, action: Action, resource: string | null): string {
  if (!ROLE_NAMES.some((role) => ROLES[role].has(action))) return 'Nobody may do this here.';
  const subject = resource === null ? '' : ` (${resource.slice(0, NAME_SHOWN)})`;
  switch (principal.kind) {
    case 'local':
      return `${ACTIONS[action]}${subject} needs the admin token of this server.`;
  }
}
