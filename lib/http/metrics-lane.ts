import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MetricFamily } from '#lib/contract/metrics.ts';
import type { Host } from '#lib/host/host.ts';
import { PROMETHEUS_TYPE, prometheusText } from './prometheus-text.ts';
import { API_HEADERS } from './security-headers.ts';

/** What only the server knows. */
export interface ServerNow {
  readonly eventClients: number;
  /** By limit. */
  readonly refused: Readonly<Record<string, number>>;
}

/** `GET /metrics`: what the host measures, and what is seen of its clients here. */
export function answerMetrics(request: IncomingMessage, response: ServerResponse, host: Host, now: ServerNow): void {
  const text = prometheusText([...host.metrics(), ...serverFamilies(now)]);
  response.writeHead(200, { ...API_HEADERS, 'content-type': PROMETHEUS_TYPE, 'content-length': Buffer.byteLength(text) });
  response.end(request.method === 'HEAD' ? undefined : text);
}

export function serverFamilies({ eventClients, refused }: ServerNow): readonly MetricFamily[] {
  return [
    {
      name: 'switchboard_event_clients',
      help: 'Streams of events that are open.',
      type: 'gauge',
      samples: [{ labels: {}, value: eventClients }],
    },
    {
      name: 'switchboard_requests_limited_total',
      help: 'Requests that were refused since the start because their address asked for too much, by limit.',
      type: 'counter',
      samples: Object.entries(refused).map(([limit, value]) => ({ labels: { limit }, value })),
    },
  ];
}
