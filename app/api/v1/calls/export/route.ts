import { callExportQuerySchema } from '#lib/contract/call.ts';
import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { exportCalls } from '#lib/http/export-calls.ts';
import { parseQuery } from '#lib/http/parse-fields.ts';
import { respondWith } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respondWith(request, currentHost(), (host) => {
    const query = parseQuery(callExportQuerySchema, new URL(request.url).searchParams);
    return query.ok ? ok(exportCalls(host, query.value)) : query;
  });
}
