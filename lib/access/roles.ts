import type { Action, Role } from '#lib/contract/actions.ts';

/** Allowed without an account. */
export const OPEN: ReadonlySet<Action> = new Set<Action>(['health.read', 'pages.enter', 'session.read', 'session.begin']);

/** Own profile and sessions: every role, never tokens. */
export const PERSONAL: ReadonlySet<Action> = new Set<Action>(['session.end', 'profile.change', 'clients.connect', 'failures.attend']);

const VIEWER: readonly Action[] = [
  ...OPEN,
  ...PERSONAL,
  'members.read',
  'metrics.read',
  'openapi.read',
  'pages.read',
  'events.read',
  'mcp.connect',
  'resources.read',
  'tools.read',
  'toolsets.read',
  'extensions.read',
  'snapshots.read',
  'sources.read',
  'calls.read',
  'calls.export',
  'saved_calls.read',
  'failures.read',
  'channels.read',
];
const OPERATOR: readonly Action[] = [
  'tools.call',
  'tools.probe',
  'servers.use',
  'secrets.read',
  'calls.cancel',
  'calls.answer',
  'calls.replay',
  'saved_calls.write',
  'saved_calls.run',
  'failures.review',
  'channels.send',
  'channels.inject',
  'channels.retry',
];
/** Changes extensions, which equals running code. */
const AUTHOR: readonly Action[] = [
  'extensions.reload',
  'extensions.restart',
  'extensions.switch',
  'extensions.pin',
  'extensions.edit',
  'toolsets.write',
  'secrets.write',
  'checks.require',
];
/** Deletes data or grants access. */
const ADMIN: readonly Action[] = ['saved_calls.erase', 'channels.configure', 'members.manage', 'tokens.manage', 'audit.read'];

/** Everything else is denied. */
export const ROLES: Readonly<Record<Role, ReadonlySet<Action>>> = {
  viewer: new Set(VIEWER),
  operator: new Set([...VIEWER, ...OPERATOR]),
  author: new Set([...VIEWER, ...OPERATOR, ...AUTHOR]),
  admin: new Set([...VIEWER, ...OPERATOR, ...AUTHOR, ...ADMIN]),
};
