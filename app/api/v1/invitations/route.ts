import { inviteSchema } from '#lib/contract/account.ts';
import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { respondAccounts, respondMember } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respondAccounts(request, currentHost(), (accounts) => ok({ body: accounts.invitations.list() }));
}

/** The answer has the link, the only time. */
export function POST(request: Request): Promise<Response> {
  return respondMember(request, currentHost(), async (accounts, member, caller) => {
    const asked = await readFields(request, inviteSchema);
    if (!asked.ok) return asked;
    const invited = await accounts.invitations.invite(asked.value, member, caller);
    return invited.ok ? ok({ body: invited.value }) : invited;
  });
}
