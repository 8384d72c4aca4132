import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { respondAccounts } from '#lib/http/respond-accounts.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respondAccounts(request, currentHost(), (accounts, { principal }) => ok({ body: accounts.members.list(principal) }));
}
