import { undoQuerySchema, undoRequestSchema } from '#lib/contract/source-undo.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { noteDetail } from '#lib/http/current-principal.ts';
import { parseQuery } from '#lib/http/parse-fields.ts';
import { readFields } from '#lib/http/read-json.ts';
import { authorise, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

interface Context {
  params: Promise<{ id: string }>;
}

export function GET(request: Request, context: Context): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const asked = parseQuery(undoQuerySchema, new URL(request.url).searchParams);
    return asked.ok ? host.extensions.planUndo((await context.params).id, asked.value.revision) : asked;
  });
}

/** Administrative: what is written here runs. */
export function POST(request: Request, context: Context): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = authorise(request, host);
    if (!requester.ok) return requester;
    const asked = await readFields(request, undoRequestSchema);
    if (!asked.ok) return asked;
    noteDetail({ revision: asked.value.revision, files: Object.keys(asked.value.files).join(', ') });
    return host.extensions.undo((await context.params).id, asked.value, requester.value.actor);
  });
}
