import { currentHost } from '#lib/host/current-host.ts';
import { respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(_request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respond(async () => {
    const { id } = await context.params;
    return currentHost().extensions.get(id);
  });
}
