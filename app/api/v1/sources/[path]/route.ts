import { sourceRemovalSchema, sourceWriteSchema } from '#lib/contract/source-file.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { parseBody } from '#lib/http/parse-fields.ts';
import { readJson } from '#lib/http/read-json.ts';
import { authorise, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

interface Context {
  readonly params: Promise<{ path: string }>;
}

export function GET(request: Request, context: Context): Promise<Response> {
  return respond(request, currentHost(), async (host) => host.sources.read((await context.params).path));
}

/** Administrative: what is written here runs. */
export function PUT(request: Request, context: Context): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = authorise(request, host);
    if (!requester.ok) return requester;
    const json = await readJson(request, {});
    if (!json.ok) return json;
    const change = parseBody(sourceWriteSchema, json.value);
    return change.ok ? host.sources.write((await context.params).path, change.value, requester.value.actor) : change;
  });
}

export function DELETE(request: Request, context: Context): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = authorise(request, host);
    if (!requester.ok) return requester;
    const json = await readJson(request, {});
    if (!json.ok) return json;
    const asked = parseBody(sourceRemovalSchema, json.value);
    return asked.ok ? host.sources.remove((await context.params).path, asked.value.expected_hash, requester.value.actor) : asked;
  });
}
