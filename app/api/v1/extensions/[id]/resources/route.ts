import { currentHost } from '#lib/host/current-host.ts';
import { respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respond(request, currentHost(), async (host) => host.extensions.resources((await context.params).id));
}
