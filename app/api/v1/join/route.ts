import { joinSchema } from '#lib/contract/account.ts';
import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { respondAccounts } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return respondAccounts(request, currentHost(), async (accounts, { member, caller }) => {
    const asked = await readFields(request, joinSchema);
    if (!asked.ok) return asked;
    const joined = await accounts.joining.join(asked.value, member, caller);
    return joined.ok ? ok({ body: joined.value.view, cookies: joined.value.cookies }) : joined;
  });
}
