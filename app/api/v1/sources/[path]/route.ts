import { sourceRemovalSchema, sourceWriteSchema } from '#lib/contract/source-file.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { noteDetail } from '#lib/http/current-principal.ts';
import { readFields } from '#lib/http/read-json.ts';
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
    const change = await readFields(request, sourceWriteSchema);
    if (!change.ok) return change;
    noteDetail({ before: change.value.expected_hash });
    const written = await host.sources.write((await context.params).path, change.value, requester.value.actor);
    if (written.ok) noteDetail({ hash: written.value.hash });
    return written;
  });
}

export function DELETE(request: Request, context: Context): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = authorise(request, host);
    if (!requester.ok) return requester;
    const asked = await readFields(request, sourceRemovalSchema);
    if (!asked.ok) return asked;
    noteDetail({ before: asked.value.expected_hash, hash: null });
    return host.sources.remove((await context.params).path, asked.value.expected_hash, requester.value.actor);
  });
}
