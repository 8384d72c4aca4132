import { revisionPairSchema } from '#lib/contract/revision-comparison.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { parseQuery } from '#lib/http/parse-fields.ts';
import { respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const pair = parseQuery(revisionPairSchema, new URL(request.url).searchParams);
    return pair.ok ? host.extensions.compare((await context.params).id, pair.value) : pair;
  });
}
