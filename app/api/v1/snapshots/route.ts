import { snapshotFilterSchema } from '#lib/contract/snapshot.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { parseQuery } from '#lib/http/parse-fields.ts';
import { respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respond(request, currentHost(), (host) => {
    const page = parseQuery(snapshotFilterSchema, new URL(request.url).searchParams);
    return page.ok ? host.snapshots.list(page.value) : page;
  });
}
