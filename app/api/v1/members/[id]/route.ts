import { memberChangeSchema } from '#lib/contract/account.ts';
import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { respondMember } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function PATCH(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondMember(request, currentHost(), async (accounts, member, caller) => {
    const { id } = await context.params;
    const asked = await readFields(request, memberChangeSchema);
    if (!asked.ok) return asked;
    const changed = await accounts.members.change(id, asked.value, member, caller);
    return changed.ok ? ok({ body: changed.value }) : changed;
  });
}
