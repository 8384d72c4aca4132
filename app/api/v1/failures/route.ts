import { groupFilterSchema } from '#lib/contract/failure-group.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { currentMember } from '#lib/http/current-principal.ts';
import { parseQuery } from '#lib/http/parse-fields.ts';
import { respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respond(request, currentHost(), (host) => {
    const filter = parseQuery(groupFilterSchema, new URL(request.url).searchParams, ['assignee']);
    return filter.ok ? host.failures.list(filter.value, currentMember()?.id ?? null) : filter;
  });
}
