import { currentHost } from '#lib/host/current-host.ts';
import { respond } from '#lib/http/respond.ts';

export const dynamic = 'force-dynamic';

export function GET(): Promise<Response> {
  return respond(currentHost(), (host) => host.calls.lastHour());
}
