import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { respondMember } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function DELETE(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondMember(request, currentHost(), async (accounts, member, caller) => {
    const { id } = await context.params;
    const withdrawn = await accounts.invitations.withdraw(id, member, caller);
    return withdrawn.ok ? ok({ body: withdrawn.value }) : withdrawn;
  });
}
