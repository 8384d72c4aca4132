import { currentHost } from '#lib/host/current-host.ts';
import { readNothing } from '#lib/http/read-json.ts';
import { requesterOf, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = requesterOf(request);
    if (!requester.ok) return requester;
    const nothing = await readNothing(request);
    if (!nothing.ok) return nothing;
    const { id } = await context.params;
    return host.channels.resend(id, requester.value.actor);
  });
}
