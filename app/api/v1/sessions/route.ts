import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { respondMember } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

/** Signs out everywhere. */
export function DELETE(request: Request): Promise<Response> {
  return respondMember(request, currentHost(), async (accounts, member, caller) => {
    const { ended, cookies } = await accounts.sessions.signOutEverywhere(member, caller);
    return ok({ body: { ended }, cookies });
  });
}
