import { joinSchema } from '#lib/contract/account.ts';
import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { parseBody } from '#lib/http/parse-fields.ts';
import { readJson } from '#lib/http/read-json.ts';
import { respondAccounts } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return respondAccounts(request, currentHost(), async (accounts, { member, caller }) => {
    const json = await readJson(request, {});
    if (!json.ok) return json;
    const asked = parseBody(joinSchema, json.value);
    if (!asked.ok) return asked;
    const joined = await accounts.joining.join(asked.value, member, caller);
    return joined.ok ? ok({ body: joined.value.view, cookies: joined.value.cookies }) : joined;
  });
}
