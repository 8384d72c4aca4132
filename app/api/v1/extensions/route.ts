import { newExtensionSchema } from '#lib/contract/new-extension.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { noteDetail } from '#lib/http/current-principal.ts';
import { readFields } from '#lib/http/read-json.ts';
import { authorise, respond } from '#lib/http/respond.ts';
import { ok } from '#lib/contract/result.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respond(request, currentHost(), (host) => ok(host.extensions.list()));
}

/** Administrative: what is written here runs. */
export function POST(request: Request): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = authorise(request, host);
    if (!requester.ok) return requester;
    const wanted = await readFields(request, newExtensionSchema);
    if (!wanted.ok) return wanted;
    noteDetail({ kind: wanted.value.kind, name: wanted.value.name });
    return host.sources.begin(wanted.value, requester.value.actor);
  });
}
