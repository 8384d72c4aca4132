import { replayRequestSchema } from '#lib/contract/call.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { requesterOf, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = requesterOf(request);
    if (!requester.ok) return requester;
    const { id } = await context.params;
    const asked = await readFields(request, replayRequestSchema);
    if (!asked.ok) return asked;
    const { source, actor } = requester.value;
    return host.calls.replay(id, asked.value.arguments ?? null, source, actor);
  });
}
