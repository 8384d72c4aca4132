import { savedCallChangeSchema } from '#lib/contract/saved-call.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { noteDetail } from '#lib/http/current-principal.ts';
import { hasMember, parseBody } from '#lib/http/parse-fields.ts';
import { readJson } from '#lib/http/read-json.ts';
import { authorise, authoriseIf, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

interface Context {
  params: Promise<{ id: string }>;
}

export function GET(request: Request, context: Context): Promise<Response> {
  return respond(request, currentHost(), async (host) => host.savedCalls.get((await context.params).id));
}

/** Administrative when new revisions have, or had, to pass it. */
export function PATCH(request: Request, context: Context): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const json = await readJson(request, {});
    if (!json.ok) return json;
    const { id } = await context.params;
    const saved = host.savedCalls.get(id);
    const decides = hasMember(json.value, 'required', true) || (saved.ok && saved.value.required);
    const requester = authoriseIf(decides, request, host);
    if (!requester.ok) return requester;
    const change = parseBody(savedCallChangeSchema, json.value);
    if (!change.ok) return change;
    if (saved.ok) noteDetail({ tool: saved.value.tool, name: saved.value.name, required: change.value.required ?? saved.value.required });
    return host.savedCalls.change(id, change.value, requester.value.actor);
  });
}

/** Administrative: it erases. */
export function DELETE(request: Request, context: Context): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = authorise(request, host);
    if (!requester.ok) return requester;
    const removed = await host.savedCalls.remove((await context.params).id, requester.value.actor);
    if (removed.ok) noteDetail({ tool: removed.value.tool, name: removed.value.name });
    return removed;
  });
}
