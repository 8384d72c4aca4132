import { joinLookSchema } from '#lib/contract/account.ts';
import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { respondAccounts } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

/** Changes nothing; the secret is in the body, as addresses are kept in logs. */
export function POST(request: Request): Promise<Response> {
  return respondAccounts(request, currentHost(), async (accounts) => {
    const asked = await readFields(request, joinLookSchema);
    if (!asked.ok) return asked;
    const offer = accounts.joining.look(asked.value.secret);
    return offer.ok ? ok({ body: offer.value }) : offer;
  });
}
