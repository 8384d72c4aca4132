import { auditExportQuerySchema } from '#lib/contract/audit.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { noteAction } from '#lib/http/current-principal.ts';
import { exportAudit } from '#lib/http/export-audit.ts';
import { parseQuery } from '#lib/http/parse-fields.ts';
import { respondWith } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respondWith(request, currentHost(), ({ accounts, logger }) => {
    if (accounts === null) return refuse('not_found', 'There are no accounts here; AUTH=team turns them on.');
    const query = parseQuery(auditExportQuerySchema, new URL(request.url).searchParams);
    if (!query.ok) return query;
    noteAction('audit.read');
    return ok(exportAudit(accounts.audit, query.value, logger));
  });
}
