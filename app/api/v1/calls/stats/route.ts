import { callStatsQuerySchema } from '#lib/contract/call.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { parseQuery } from '#lib/http/parse-fields.ts';
import { respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const query = parseQuery(callStatsQuerySchema, new URL(request.url).searchParams);
    return query.ok ? host.calls.stats(query.value) : query;
  });
}
