import { passwordChangeSchema } from '#lib/contract/account.ts';
import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { respondMember } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return respondMember(request, currentHost(), async (accounts, member, caller) => {
    const asked = await readFields(request, passwordChangeSchema);
    if (!asked.ok) return asked;
    const changed = await accounts.profile.changePassword(member, asked.value, caller);
    return changed.ok ? ok({ body: changed.value.view, cookies: changed.value.cookies }) : changed;
  });
}
