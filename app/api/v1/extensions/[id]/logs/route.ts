import { extensionLogQuerySchema } from '#lib/contract/extension-process.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { parseQuery } from '#lib/http/parse-fields.ts';
import { respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const query = parseQuery(extensionLogQuerySchema, new URL(request.url).searchParams);
    return query.ok ? host.extensions.logs((await context.params).id, query.value) : query;
  });
}
