import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { respondMember } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function DELETE(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondMember(request, currentHost(), async (accounts, member, caller) => {
    const revoked = await accounts.tokens.revoke((await context.params).id, member, caller);
    return revoked.ok ? ok({ body: revoked.value }) : revoked;
  });
}
