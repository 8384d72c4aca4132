import { ok } from '#lib/contract/result.ts';
import { saveCallSchema, savedCallFilterSchema } from '#lib/contract/saved-call.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { noteDetail } from '#lib/http/current-principal.ts';
import { hasMember, parseBody, parseQuery } from '#lib/http/parse-fields.ts';
import { readJson } from '#lib/http/read-json.ts';
import { authoriseIf, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respond(request, currentHost(), (host) => {
    const filter = parseQuery(savedCallFilterSchema, new URL(request.url).searchParams);
    return filter.ok ? ok(host.savedCalls.list(filter.value.tool)) : filter;
  });
}

/** Administrative when new revisions have to pass it. */
export function POST(request: Request): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const json = await readJson(request, {});
    if (!json.ok) return json;
    const requester = authoriseIf(hasMember(json.value, 'required', true), request, host);
    if (!requester.ok) return requester;
    const asked = parseBody(saveCallSchema, json.value);
    if (!asked.ok) return asked;
    noteDetail({ tool: asked.value.tool, name: asked.value.name });
    return host.savedCalls.save(asked.value, requester.value.actor);
  });
}
