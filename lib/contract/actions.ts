/**
 * All actions. Each route and each MCP method has one; lib/access decides which role may. The text starts a sentence
 * in the interface.
 */
export const ACTIONS = {
  'health.read': 'Reading health',
  'metrics.read': 'Reading metrics',
  'openapi.read': 'Reading the OpenAPI document',
  'pages.enter': 'Opening the sign-in pages',
  'pages.read': 'Opening pages of the dashboard',
  'session.read': 'Reading the current session',
  'session.begin': 'Signing in',
  'session.end': 'Signing out',
  'profile.change': 'Changing your profile',
  'clients.connect': 'Connecting an OAuth client',
  'members.read': 'Reading the member list',
  'failures.attend': 'Showing presence on a failure',
  'events.read': 'Following events',
  'mcp.connect': 'Connecting an agent',
  'resources.read': 'Reading MCP resources',
  'tools.read': 'Reading tools',
  'toolsets.read': 'Reading toolsets',
  'extensions.read': 'Reading extensions',
  'snapshots.read': 'Reading snapshots',
  'sources.read': 'Reading sources',
  'calls.read': 'Reading calls',
  'calls.export': 'Exporting calls',
  'saved_calls.read': 'Reading saved calls',
  'failures.read': 'Reading failures',
  'channels.read': 'Reading channels',
  'tools.call': 'Calling a tool',
  'tools.probe': 'Probing a tool',
  'servers.use': 'Using resources and prompts of MCP servers',
  'secrets.read': 'Reading the names of secrets',
  'calls.cancel': 'Cancelling a call',
  'calls.answer': 'Answering a question of a call',
  'calls.replay': 'Replaying a call',
  'saved_calls.write': 'Saving a call',
  'saved_calls.run': 'Running a saved call',
  'failures.review': 'Reviewing a failure',
  'channels.send': 'Sending a message',
  'channels.inject': 'Injecting a message into a channel',
  'channels.retry': 'Reconnecting a channel',
  'extensions.reload': 'Reloading extensions',
  'extensions.restart': 'Restarting an extension',
  'extensions.switch': 'Disabling or enabling an extension, or choosing what its idle process does',
  'extensions.pin': 'Choosing the serving revision',
  'extensions.edit': 'Editing the files of an extension',
  'toolsets.write': 'Changing toolsets',
  'secrets.write': 'Setting or deleting a secret',
  'checks.require': 'Changing required checks',
  'saved_calls.erase': 'Deleting a saved call',
  'members.manage': 'Managing members and roles',
  'tokens.manage': 'Creating and revoking tokens',
  'audit.read': 'Reading the audit log',
  'channels.configure': 'Configuring channel commands',
} as const;

export type Action = keyof typeof ACTIONS;

/** Each role includes the previous one. lib/access lists the actions. */
export const ROLE_NAMES = ['viewer', 'operator', 'author', 'admin'] as const;
export type Role = (typeof ROLE_NAMES)[number];
