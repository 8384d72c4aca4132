import { injectMessageSchema } from '#lib/contract/channel.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { noteAction, noteDetail } from '#lib/http/current-principal.ts';
import { readFields } from '#lib/http/read-json.ts';
import { requesterOf, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request, context: { params: Promise<{ name: string }> }): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = requesterOf(request);
    if (!requester.ok) return requester;
    const { name } = await context.params;
    const asked = await readFields(request, injectMessageSchema);
    if (!asked.ok) return asked;
    // A call that comes of it bears the name of the sender, who can be anybody: so who put it there is written down.
    noteAction('channels.inject');
    noteDetail({ sender: asked.value.sender ?? requester.value.actor.name });
    return host.channels.inject(name, asked.value, requester.value.actor);
  });
}
