import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Host, HostHealth } from '#lib/host/host.ts';
import { API_HEADERS } from './security-headers.ts';

/**
 * `/healthz` says that the process answers, from the moment the port is open; `/readyz` that tools can be called, which is
 * once the first load is through and until the stop begins. To who has not signed in it says no more than that.
 */
export function answerHealth(
  request: IncomingMessage,
  response: ServerResponse,
  lane: 'health' | 'ready',
  host: Host | null,
  stopping: boolean,
  isStranger: boolean,
): void {
  const whole: Partial<HostHealth> = host === null ? { status: 'starting', ready: false } : host.health();
  const health: Partial<HostHealth> = isStranger ? { status: whole.status ?? 'starting' } : whole;
  const ready = whole.ready === true && !stopping;
  const text = JSON.stringify({ ...health, ready, ...(stopping ? { status: 'stopping' } : {}) });
  const status = lane === 'ready' && !ready ? 503 : 200;
  const headers = { ...API_HEADERS, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, status === 503 ? { ...headers, 'retry-after': '1' } : headers);
  response.end(request.method === 'HEAD' ? undefined : text);
}
