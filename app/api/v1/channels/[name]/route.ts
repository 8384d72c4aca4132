import { channelSettingsSchema } from '#lib/contract/channel.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { noteDetail } from '#lib/http/current-principal.ts';
import { readFields } from '#lib/http/read-json.ts';
import { authorise, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

interface Context {
  readonly params: Promise<{ name: string }>;
}

export function GET(request: Request, context: Context): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const { name } = await context.params;
    return host.channels.get(name);
  });
}

/** Administrative: it lets texts from outside run tools. */
export function PATCH(request: Request, context: Context): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = authorise(request, host);
    if (!requester.ok) return requester;
    const { name } = await context.params;
    const asked = await readFields(request, channelSettingsSchema);
    if (!asked.ok) return asked;
    noteDetail({ settings: JSON.stringify(asked.value) });
    return host.channels.configure(name, asked.value, requester.value.actor);
  });
}
