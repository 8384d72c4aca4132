import { pageQuerySchema } from '#lib/contract/snapshot.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { parseQuery } from '#lib/http/parse-fields.ts';
import { respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request, context: { params: Promise<{ name: string }> }): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const { name } = await context.params;
    const page = parseQuery(pageQuerySchema, new URL(request.url).searchParams);
    return page.ok ? host.channels.messages(name, page.value) : page;
  });
}
