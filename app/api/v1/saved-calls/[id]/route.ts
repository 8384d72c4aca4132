import { savedCallChangeSchema } from '#lib/contract/saved-call.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { parseBody } from '#lib/http/parse-fields.ts';
import { readJson } from '#lib/http/read-json.ts';
import { authorise, requesterOf, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

interface Context {
  params: Promise<{ id: string }>;
}

export function GET(_request: Request, context: Context): Promise<Response> {
  return respond(currentHost(), async (host) => host.savedCalls.get((await context.params).id));
}

export function PATCH(request: Request, context: Context): Promise<Response> {
  return respond(currentHost(), async (host) => {
    const requester = requesterOf(request);
    if (!requester.ok) return requester;
    const json = await readJson(request, {});
    if (!json.ok) return json;
    const change = parseBody(savedCallChangeSchema, json.value);
    return change.ok ? host.savedCalls.change((await context.params).id, change.value) : change;
  });
}

/** Administrative: it erases. */
export function DELETE(request: Request, context: Context): Promise<Response> {
  return respond(currentHost(), async (host) => {
    const requester = authorise(request, host);
    return requester.ok ? host.savedCalls.remove((await context.params).id) : requester;
  });
}
