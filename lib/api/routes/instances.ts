import { conflictChoiceSchema, extensionConflictSchema, fileConflictListSchema } from '#lib/contract/extension.ts';
import { instanceListSchema } from '#lib/contract/instance.ts';
import { ok } from '#lib/contract/result.ts';
import { named, routesOf } from '../route.ts';

const route = routesOf({ tag: 'instances', parameter: 'The id of the conflict.', unknown: 'conflict_not_found' });

export const instanceRoutes = [
  route('GET /api/v1/instances', 'snapshots.read', 'listInstances', {
    summary: 'The servers that share the database, newest first; this one alone on SQLite.',
    response: named('InstanceList', instanceListSchema),
    handle: async ({ host }) => ok(await host.instances.list()),
  }),
  route('GET /api/v1/conflicts', 'sources.read', 'listConflicts', {
    summary: 'All files with concurrent saves on two instances, and the extensions that use each.',
    response: named('FileConflictList', fileConflictListSchema),
    handle: async ({ host }) => ok(await host.conflicts.list()),
  }),
  route('GET /api/v1/conflicts/:id', 'sources.read', 'getConflict', {
    summary: 'One conflict with both texts.',
    response: named('FileConflict', extensionConflictSchema),
    handle: ({ host, parameter }) => host.conflicts.get(parameter),
  }),
  route('POST /api/v1/conflicts/:id', 'extensions.edit', 'settleFileConflict', {
    summary: 'Choose one of two texts of a file, also of a file that no extension uses. Returns the remaining conflicts.',
    body: named('ConflictChoice', conflictChoiceSchema),
    response: fileConflictListSchema,
    detail: ({ parameter, body }) => ({ conflict: parameter, keep: body.keep }),
    handle: ({ host, parameter, body, requester }) => host.conflicts.settle(parameter, body, requester.actor),
  }),
];
