import { profileChangeSchema } from '#lib/contract/account.ts';
import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { respondMember } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function PATCH(request: Request): Promise<Response> {
  return respondMember(request, currentHost(), async (accounts, member, caller) => {
    const asked = await readFields(request, profileChangeSchema);
    if (!asked.ok) return asked;
    const view = await accounts.profile.rename(member, asked.value, caller);
    return view.ok ? ok({ body: view.value }) : view;
  });
}
