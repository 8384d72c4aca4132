import { refuse } from '#lib/contract/result.ts';
import { snapshotFilterSchema, snapshotPageSchema, snapshotSchema } from '#lib/contract/snapshot.ts';
import { named, routesOf } from '../route.ts';

const route = routesOf({ tag: 'snapshots', parameter: 'The version, a whole number.', unknown: 'snapshot_not_found' });

export const snapshotRoutes = [
  route('GET /api/v1/snapshots', 'snapshots.read', 'listSnapshots', {
    summary: 'The changes of each version of the set of extensions, newest first.',
    query: snapshotFilterSchema,
    response: named('SnapshotPage', snapshotPageSchema),
    handle: ({ host, query }) => host.snapshots.list(query),
  }),
  route('GET /api/v1/snapshots/:version', 'snapshots.read', 'getSnapshot', {
    summary: 'One version.',
    response: named('Snapshot', snapshotSchema),
    handle: async ({ host, parameter }) =>
      /^[0-9]{1,15}$/.test(parameter)
        ? await host.snapshots.get(Number(parameter))
        : refuse('snapshot_not_found', 'A snapshot is named by its version, a whole number.'),
  }),
];
