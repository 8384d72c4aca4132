import { refuse } from '#lib/contract/result.ts';
import { snapshotFilterSchema, snapshotPageSchema, snapshotSchema } from '#lib/contract/snapshot.ts';
import { named, route } from '../route.ts';

export const snapshotRoutes = [
  route(
    {
      method: 'GET',
      path: '/api/v1/snapshots',
      action: 'snapshots.read',
      id: 'listSnapshots',
      summary: 'What changed in each version of the set of extensions, newest first.',
      tag: 'snapshots',
      query: snapshotFilterSchema,
      response: named('SnapshotPage', snapshotPageSchema),
    },
    ({ host, query }) => host.snapshots.list(query),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/snapshots/:version',
      action: 'snapshots.read',
      id: 'getSnapshot',
      summary: 'One version.',
      tag: 'snapshots',
      parameter: 'The version, a whole number.',
      response: named('Snapshot', snapshotSchema),
      problems: ['snapshot_not_found'],
    },
    ({ host, parameter }) =>
      /^[0-9]{1,15}$/.test(parameter)
        ? host.snapshots.get(Number(parameter))
        : refuse('snapshot_not_found', 'A snapshot is named by its version, a whole number.'),
  ),
];
