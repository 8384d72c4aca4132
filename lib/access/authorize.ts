import { ACTIONS } from '#lib/contract/actions.ts';
import type { Action } from '#lib/contract/actions.ts';
import { ROLE_NAMES } from '#lib/contract/roles.ts';
import { isAdministrative } from './principal.ts';
import type { Principal, TokenHolder } from './principal.ts';
import { OPEN, PERSONAL, ROLES } from './roles.ts';

/**
 * The one question that every entry asks: gate, fast lane, route handlers, pages, event streams and MCP methods. It is on the
 * path of every call, so it is one look into a set; it reads nothing, so it can be asked before anything is looked up.
 */
export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly missing: string };

const ALLOWED: Decision = { allowed: true };
const NAME_SHOWN = 100;

/** What is done to a tool by its name: a token that is made for some tools may do it to these only. */
const BY_TOOL: ReadonlySet<Action> = new Set(['tools.call', 'tools.probe']);
/** What is no matter of a tool, whatever it is asked of. */
const NOT_OF_A_TOOL: ReadonlySet<Action> = new Set([...OPEN, 'openapi.read', 'mcp.connect', 'events.read']);
/** All that such a token may, where it is given: nothing that shows or does more than its tools. A list of tools holds only them. */
const WITH_TOOLS: ReadonlySet<Action> = new Set([...BY_TOOL, ...NOT_OF_A_TOOL, 'tools.read']);
/** What no token may, whatever its role: a stolen one must not make more of itself, nor be somebody. */
const BY_PEOPLE: ReadonlySet<Action> = new Set([...PERSONAL, 'members.manage', 'tokens.manage']);
/** What is done to people and tokens is done by people: the admin token is older than they are, and names nobody. */
const OF_ACCOUNTS = /^(?:members|tokens|audit|profile)\./;

/**
 * Denied unless the principal has the action. `missing` says in a sentence what would be needed.
 * @param resource what it is done to, as the request names it; null for none
 */
export function authorize(principal: Principal, action: Action, resource: string | null): Decision {
  return isAllowed(principal, action, resource) ? ALLOWED : { allowed: false, missing: missingFor(principal, action, resource) };
}

function isAllowed(principal: Principal, action: Action, resource: string | null): boolean {
  switch (principal.kind) {
    case 'local':
      return ROLES[principal.hasAdminRight ? 'admin' : 'operator'].has(action);
    case 'member':
      return ROLES[principal.role].has(action);
    case 'token':
      return ROLES[principal.role].has(action) && !BY_PEOPLE.has(action) && isWithinTools(principal, action, resource);
    case 'key':
      return OPEN.has(action) || (isAdministrative(action) && ROLES.admin.has(action) && !OF_ACCOUNTS.test(action));
    case 'stranger':
      return OPEN.has(action);
  }
}

function isWithinTools({ tools }: TokenHolder, action: Action, resource: string | null): boolean {
  if (tools === null) return true;
  if (!WITH_TOOLS.has(action)) return false;
  if (resource === null) return !BY_TOOL.has(action);
  return NOT_OF_A_TOOL.has(action) || tools.has(resource);
}

function missingFor(principal: Principal, action: Action, resource: string | null): string {
  const least = ROLE_NAMES.find((role) => ROLES[role].has(action));
  if (least === undefined) return 'Nobody may do this here.';
  const what = `${ACTIONS[action]}${resource === null ? '' : ` (${resource.slice(0, NAME_SHOWN)})`}`;
  switch (principal.kind) {
    case 'local':
      return `${what} needs the admin token of this server.`;
    case 'member':
      return `${what} needs the role ${least}; yours is ${principal.role}. An admin of this server can change it.`;
    case 'token':
      if (BY_PEOPLE.has(action)) return `${what} is for people who have signed in; a token cannot do it, whatever its role.`;
      return ROLES[principal.role].has(action)
        ? `${what} is not among the tools that the token "${principal.name}" was made for.`
        : `${what} needs the role ${least}; the token "${principal.name}" has ${principal.role}.`;
    case 'key':
      return `${what} is not what the admin token is for. Sign in, or send a token of the API.`;
    case 'stranger':
      return `${what} needs an account with the role ${least}. Sign in, or send a token of the API.`;
  }
}
