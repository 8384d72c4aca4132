import { mergeRequestSchema } from '#lib/contract/failure-group.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { requesterOf, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = requesterOf(request);
    if (!requester.ok) return requester;
    const asked = await readFields(request, mergeRequestSchema);
    if (!asked.ok) return asked;
    const { id } = await context.params;
    const { actor } = requester.value;
    return host.failures.merge(id, asked.value.into, actor);
  });
}
