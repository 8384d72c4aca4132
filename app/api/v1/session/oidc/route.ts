import { oidcBeginSchema } from '#lib/contract/account.ts';
import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { respondAccounts } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return respondAccounts(request, currentHost(), async (accounts, { caller }) => {
    const asked = await readFields(request, oidcBeginSchema);
    if (!asked.ok) return asked;
    const begun = await accounts.sessions.beginOidc(asked.value.to, caller);
    return begun.ok ? ok({ body: begun.value.begun, cookies: begun.value.cookies }) : begun;
  });
}
