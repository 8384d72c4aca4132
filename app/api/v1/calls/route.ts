import { callFilterSchema } from '#lib/contract/call.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { parseQuery } from '#lib/http/parse-fields.ts';
import { respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respond(request, currentHost(), (host) => {
    const filter = parseQuery(callFilterSchema, new URL(request.url).searchParams);
    return filter.ok ? host.calls.list(filter.value) : filter;
  });
}
