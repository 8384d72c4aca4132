import { ok } from '#lib/contract/result.ts';
import { makeTokenSchema } from '#lib/contract/token.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { respondAccounts, respondMember } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respondAccounts(request, currentHost(), (accounts) => ok({ body: accounts.tokens.list() }));
}

/** The answer has the token, the only time. */
export function POST(request: Request): Promise<Response> {
  return respondMember(request, currentHost(), async (accounts, member, caller) => {
    const asked = await readFields(request, makeTokenSchema);
    if (!asked.ok) return asked;
    const made = await accounts.tokens.make(asked.value, member, caller);
    return made.ok ? ok({ body: made.value }) : made;
  });
}
