import { currentHost } from '#lib/host/current-host.ts';
import { readNothing } from '#lib/http/read-json.ts';
import { respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const nothing = await readNothing(request);
    if (!nothing.ok) return nothing;
    const { id } = await context.params;
    return host.calls.cancel(id);
  });
}
