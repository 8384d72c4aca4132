import { ok } from '#lib/contract/result.ts';
import { saveCallSchema, savedCallFilterSchema } from '#lib/contract/saved-call.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { parseBody, parseQuery } from '#lib/http/parse-fields.ts';
import { readJson } from '#lib/http/read-json.ts';
import { requesterOf, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respond(currentHost(), (host) => {
    const filter = parseQuery(savedCallFilterSchema, new URL(request.url).searchParams);
    return filter.ok ? ok(host.savedCalls.list(filter.value.tool)) : filter;
  });
}

export function POST(request: Request): Promise<Response> {
  return respond(currentHost(), async (host) => {
    const requester = requesterOf(request);
    if (!requester.ok) return requester;
    const json = await readJson(request, {});
    if (!json.ok) return json;
    const asked = parseBody(saveCallSchema, json.value);
    return asked.ok ? host.savedCalls.save(asked.value, requester.value.actor) : asked;
  });
}
