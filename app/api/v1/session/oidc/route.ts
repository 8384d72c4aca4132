import { oidcBeginSchema } from '#lib/contract/account.ts';
import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { parseBody } from '#lib/http/parse-fields.ts';
import { readJson } from '#lib/http/read-json.ts';
import { respondAccounts } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return respondAccounts(request, currentHost(), async (accounts, { caller }) => {
    const json = await readJson(request, {});
    if (!json.ok) return json;
    const asked = parseBody(oidcBeginSchema, json.value);
    if (!asked.ok) return asked;
    const begun = await accounts.sessions.beginOidc(asked.value.to, caller);
    return begun.ok ? ok({ body: begun.value.begun, cookies: begun.value.cookies }) : begun;
  });
}
