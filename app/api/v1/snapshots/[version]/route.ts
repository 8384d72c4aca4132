import { refuse } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(request: Request, context: { params: Promise<{ version: string }> }): Promise<Response> {
  return respond(request, currentHost(), async (host) => {
    const { version } = await context.params;
    if (!/^[0-9]{1,15}$/.test(version)) return refuse('snapshot_not_found', 'A snapshot is named by its version, a whole number.');
    return host.snapshots.get(Number(version));
  });
}
