import { groupChangeSchema } from '#lib/contract/failure-group.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { requesterOf, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

interface Context {
  params: Promise<{ id: string }>;
}

export function GET(request: Request, context: Context): Promise<Response> {
  return respond(request, currentHost(), async (host) => host.failures.get((await context.params).id));
}

export function PATCH(request: Request, context: Context): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = requesterOf(request);
    if (!requester.ok) return requester;
    const change = await readFields(request, groupChangeSchema);
    if (!change.ok) return change;
    return host.failures.change((await context.params).id, change.value, requester.value.actor);
  });
}
