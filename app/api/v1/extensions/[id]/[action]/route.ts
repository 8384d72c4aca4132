import { revisionRequestSchema } from '#lib/contract/extension.ts';
import { refuse } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { noteDetail } from '#lib/http/current-principal.ts';
import { readFields, readNothing } from '#lib/http/read-json.ts';
import { authorise, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request, context: { params: Promise<{ id: string; action: string }> }): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = authorise(request, host);
    if (!requester.ok) return requester;
    const { actor } = requester.value;
    const { id, action } = await context.params;
    noteDetail({ change: action });
    if (action === 'restart' || action === 'disable' || action === 'enable' || action === 'unpin') {
      const nothing = await readNothing(request);
      return nothing.ok ? host.extensions[action](id, actor) : nothing;
    }
    if (action !== 'rollback' && action !== 'pin')
      return refuse('not_found', 'An extension can be restarted, disabled, enabled, rolled back, pinned and unpinned.');
    const asked = await readFields(request, revisionRequestSchema);
    if (!asked.ok) return asked;
    noteDetail({ revision: asked.value.revision });
    return host.extensions[action](id, asked.value.revision, actor);
  });
}
