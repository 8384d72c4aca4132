import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readNothing } from '#lib/http/read-json.ts';
import { respondMember } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondMember(request, currentHost(), async (accounts, member, caller) => {
    const nothing = await readNothing(request);
    if (!nothing.ok) return nothing;
    const { id } = await context.params;
    const signedOut = await accounts.members.signOut(id, member, caller);
    return signedOut.ok ? ok({ body: signedOut.value }) : signedOut;
  });
}
