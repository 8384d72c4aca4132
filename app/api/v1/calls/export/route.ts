import { callExportQuerySchema } from '#lib/contract/call.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { exportCalls } from '#lib/http/export-calls.ts';
import { parseQuery } from '#lib/http/parse-fields.ts';
import { problemResponse } from '#lib/http/problem.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Response {
  const query = parseQuery(callExportQuerySchema, new URL(request.url).searchParams);
  return query.ok ? exportCalls(currentHost(), query.value) : problemResponse(query.problem);
}
