import { instanceListSchema } from '#lib/contract/instance.ts';
import { ok } from '#lib/contract/result.ts';
import { named, routesOf } from '../route.ts';

const route = routesOf({ tag: 'instances' });

export const instanceRoutes = [
  route(
    'GET /api/v1/instances',
    'snapshots.read',
    'listInstances',
    'The servers that share the database, newest first; this one alone on SQLite.',
    { response: named('InstanceList', instanceListSchema) },
    async ({ host }) => ok(await host.instances.list()),
  ),
];
