import { ok, refuse } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { respondWith } from '#lib/http/respond.ts';
import { headersWith, visitorOf } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

/** Where the provider of identities sends a browser back to. */
export function GET(request: Request): Promise<Response> {
  return respondWith(request, currentHost(), async (host) => {
    if (host.accounts === null) return refuse('not_found', 'There are no accounts here; AUTH=team turns them on.');
    const { member, caller } = visitorOf(request, host);
    const { to, cookies } = await host.accounts.sessions.endOidc(request, member, caller);
    return ok(new Response(null, { status: 303, headers: headersWith(cookies, { location: to }) }));
  });
}
