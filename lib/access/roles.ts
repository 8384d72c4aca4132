import type { Action } from '#lib/contract/actions.ts';
import type { Role } from '#lib/contract/roles.ts';

/** What asks for no account. */
export const OPEN: ReadonlySet<Action> = new Set<Action>(['health.read', 'pages.enter', 'session.read', 'session.begin']);

/** What a person does with himself: whatever his role, and never a script in his name. */
export const PERSONAL: ReadonlySet<Action> = new Set<Action>(['session.end', 'profile.change', 'failures.attend']);

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
  'calls.cancel',
  'calls.replay',
  'saved_calls.write',
  'saved_calls.run',
  'failures.review',
  'channels.send',
  'channels.inject',
  'channels.retry',
];
/** What changes what runs; it equals running code of one's own. */
const AUTHOR: readonly Action[] = [
  'extensions.reload',
  'extensions.restart',
  'extensions.switch',
  'extensions.pin',
  'extensions.edit',
  'checks.require',
];
/** What erases, and what opens a door to others. */
const ADMIN: readonly Action[] = ['saved_calls.erase', 'channels.configure', 'members.manage', 'tokens.manage', 'audit.read'];

/** What is not in a set is denied. */
export const ROLES: Readonly<Record<Role, ReadonlySet<Action>>> = {
  viewer: new Set(VIEWER),
  operator: new Set([...VIEWER, ...OPERATOR]),
  author: new Set([...VIEWER, ...OPERATOR, ...AUTHOR]),
  admin: new Set([...VIEWER, ...OPERATOR, ...AUTHOR, ...ADMIN]),
};
