import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Host } from '#lib/host/host.ts';
import { PROMETHEUS_TYPE, prometheusText } from './prometheus-text.ts';
import { API_HEADERS } from './security-headers.ts';

/** `GET /metrics`: what the host measures, and how many read its events here. */
export function answerMetrics(request: IncomingMessage, response: ServerResponse, host: Host, eventClients: number): void {
  const clients = {
    name: 'switchboard_event_clients',
    help: 'Streams of events that are open.',
    type: 'gauge',
    samples: [{ labels: {}, value: eventClients }],
  } as const;
  const text = prometheusText([...host.metrics(), clients]);
  response.writeHead(200, { ...API_HEADERS, 'content-type': PROMETHEUS_TYPE, 'content-length': Buffer.byteLength(text) });
  response.end(request.method === 'HEAD' ? undefined : text);
}
