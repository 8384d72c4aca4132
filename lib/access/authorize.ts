import { type Action, ACTIONS, type Role, ROLE_NAMES } from '#lib/contract/actions.ts';
import { isAdministrative, type Principal, type TokenHolder } from './principal.ts';
import { OPEN, PERSONAL, ROLES } from './roles.ts';

/**
 * The only authorization decision: for routes, pages, event streams and MCP methods. Every call needs it, so it is one set
 * lookup. It performs no I/O, so it can run before anything is looked up.
 */
export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly missing: string };

const ALLOWED: Decision = { allowed: true };
const NAME_SHOWN = 100;

/** Actions on a named tool: a token limited to tools may do them only on these. */
const BY_TOOL: ReadonlySet<Action> = new Set(['tools.call', 'tools.probe']);
/** Actions not about a tool. */
const NOT_OF_A_TOOL: ReadonlySet<Action> = new Set([...OPEN, 'openapi.read', 'mcp.connect', 'events.read']);
/** Actions of a token limited to tools: nothing beyond its tools. Lists contain only these. */
const WITH_TOOLS: ReadonlySet<Action> = new Set([...BY_TOOL, ...NOT_OF_A_TOOL, 'tools.read']);
/** Actions forbidden to tokens: a stolen one must not create tokens or act as a person. */
const BY_PEOPLE: ReadonlySet<Action> = new Set([...PERSONAL, 'members.manage', 'tokens.manage']);
/** Managing members and tokens needs a signed-in person: the admin token identifies nobody. */
const OF_ACCOUNTS = /^(?:members|tokens|audit|profile)\./;

/**
 * Denied unless the principal has the action. `missing` describes what is needed.
 * @param resource target as named by the request, or null
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
      return (
        ROLES[principal.role].has(action) &&
        !BY_PEOPLE.has(action) &&
        hasScope(principal, action) &&
        isWithinTools(principal, action, resource)
      );
    case 'key':
      return OPEN.has(action) || (isAdministrative(action) && ROLES.admin.has(action) && !OF_ACCOUNTS.test(action));
    case 'stranger':
      return OPEN.has(action);
  }
}

function hasScope({ oauth }: TokenHolder, action: Action): boolean {
  return oauth === undefined || oauth.scopes.has(action) || OPEN.has(action);
}

/** Actions that a client may request as scopes: those of a role, except actions reserved for people. */
export function scopesOf(role: Role): readonly Action[] {
  return [...ROLES[role]].filter((action) => !OPEN.has(action) && !BY_PEOPLE.has(action));
}

function isWithinTools({ tools }: TokenHolder, action: Action, resource: string | null): boolean {
  if (tools === null) return true;
  if (!WITH_TOOLS.has(action)) return false;
  if (resource === null) return !BY_TOOL.has(action);
  return NOT_OF_A_TOOL.has(action) || tools.has(resource);
}

function missingFor(principal: Principal, action: Action, resource: string | null): string {
  const least = ROLE_NAMES.find((role) => ROLES[role].has(action));
  if (least === undefined) return 'This action does not exist.';
  const what = `${ACTIONS[action]}${resource === null ? '' : ` (${resource.slice(0, NAME_SHOWN)})`}`;
  switch (principal.kind) {
    case 'local':
      return `${what} needs the admin token of this server.`;
    case 'member':
      return `${what} needs the role ${least}; yours is ${principal.role}. An admin of this server can change it.`;
    case 'token':
      if (BY_PEOPLE.has(action)) return `${what} needs a signed-in person; a token cannot do it.`;
      if (ROLES[principal.role].has(action) && !hasScope(principal, action))
        return `${what} needs the scope ${action}, which "${principal.name}" does not have. Connect it again and allow that.`;
      return ROLES[principal.role].has(action)
        ? `${what} is not allowed for the token "${principal.name}", which is limited to other tools.`
        : `${what} needs the role ${least}; the token "${principal.name}" has ${principal.role}.`;
    case 'key':
      return `${what} is not possible with the admin token. Sign in, or send an API token.`;
    case 'stranger':
      return `${what} needs an account with the role ${least}. Sign in, or send an API token.`;
  }
}
