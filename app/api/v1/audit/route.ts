import { auditQuerySchema } from '#lib/contract/audit.ts';
import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { parseQuery } from '#lib/http/parse-fields.ts';
import { respondAccounts } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respondAccounts(request, currentHost(), (accounts) => {
    const query = parseQuery(auditQuerySchema, new URL(request.url).searchParams);
    if (!query.ok) return query;
    const page = accounts.audit.list(query.value);
    return page.ok ? ok({ body: page.value }) : page;
  });
}
