import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { authorise, respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const requester = authorise(request, host);
    return requester.ok ? ok(await host.extensions.testWatching()) : requester;
  });
}
