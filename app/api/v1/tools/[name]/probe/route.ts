import { probeRequestSchema } from '#lib/contract/probe.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { mayAlso, requesterOf, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request, context: { params: Promise<{ name: string }> }): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = requesterOf(request);
    if (!requester.ok) return requester;
    const { name } = await context.params;
    const asked = await readFields(request, probeRequestSchema);
    if (!asked.ok) return asked;
    return host.probes.run(name, asked.value, { source: requester.value.source, mayReadLog: mayAlso('extensions.read') }, request.signal);
  });
}
