import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { respond } from '#lib/http/respond.ts';
import { shownTools } from '#lib/http/shown-tools.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return respond(request, currentHost(), (host) => ok(shownTools(host.tools.list())));
}
