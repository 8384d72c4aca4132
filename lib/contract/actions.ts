/**
 * Everything that can be asked of this server, by HTTP and by agents: the whole list. Each route and each MCP method is
 * one of these; lib/access says who may. The words begin a sentence for a person.
 */
export const ACTIONS = {
  'health.read': 'Asking whether the server is well',
  'metrics.read': 'Reading metrics',
  'openapi.read': 'Reading the description of the API',
  'pages.enter': 'Opening the pages by which people come in',
  'pages.read': 'Opening pages of the dashboard',
  'events.read': 'Following live events',
  'mcp.connect': 'Connecting an agent',
  'resources.read': 'Reading the resources that agents see',
  'tools.read': 'Reading tools',
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
  'calls.cancel': 'Cancelling a call',
  'calls.replay': 'Replaying a call',
  'saved_calls.write': 'Saving a call',
  'saved_calls.run': 'Running a saved call',
  'failures.review': 'Reviewing a failure',
  'channels.send': 'Sending a message',
  'channels.inject': 'Putting a message into a channel',
  'channels.retry': 'Connecting a channel again',
  'extensions.reload': 'Reloading extensions',
  'extensions.restart': 'Restarting an extension',
  'extensions.switch': 'Disabling or enabling an extension',
  'extensions.pin': 'Choosing the revision of an extension',
  'extensions.edit': 'Changing the files of an extension',
  'checks.require': 'Deciding what new revisions have to pass',
  'saved_calls.erase': 'Deleting a saved call',
  'channels.configure': 'Choosing what the commands of a channel may call',
} as const;

export type Action = keyof typeof ACTIONS;
