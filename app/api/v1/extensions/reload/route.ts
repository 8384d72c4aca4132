import { reloadRequestSchema } from '#lib/contract/extension.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { noteDetail } from '#lib/http/current-principal.ts';
import { readFields } from '#lib/http/read-json.ts';
import { authorise, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = authorise(request, host);
    if (!requester.ok) return requester;
    const asked = await readFields(request, reloadRequestSchema);
    if (!asked.ok) return asked;
    if (asked.value.extensions !== undefined) noteDetail({ extensions: asked.value.extensions.join(', ') });
    return host.extensions.reload(asked.value.extensions ?? null, requester.value.actor);
  });
}

/** An extension may itself be called `reload`; this file's folder hides it from the route for ids. */
export function GET(request: Request): Promise<Response> {
  return respond(request, currentHost(), (host) => host.extensions.get('reload'));
}
