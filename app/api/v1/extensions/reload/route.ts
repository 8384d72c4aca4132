import { reloadRequestSchema } from '#lib/contract/extension.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { noteDetail } from '#lib/http/current-principal.ts';
import { parseBody } from '#lib/http/parse-fields.ts';
import { readJson } from '#lib/http/read-json.ts';
import { authorise, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = authorise(request, host);
    if (!requester.ok) return requester;
    const json = await readJson(request, {});
    if (!json.ok) return json;
    const asked = parseBody(reloadRequestSchema, json.value);
    if (!asked.ok) return asked;
    if (asked.value.extensions !== undefined) noteDetail({ extensions: asked.value.extensions.join(', ') });
    return host.extensions.reload(asked.value.extensions ?? null, requester.value.actor);
  });
}

/** An extension may itself be called `reload`; this file's folder hides it from the route for ids. */
export function GET(request: Request): Promise<Response> {
  return respond(request, currentHost(), (host) => host.extensions.get('reload'));
}
