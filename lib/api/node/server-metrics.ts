import { Counter, Gauge, Registry } from 'prom-client';

export interface ServerMetricsOptions {
  eventClients(): number;
  /** Requests rejected by a limit since the start, by limit. */
  refused(): Readonly<Record<string, number>>;
}

/** Metrics of the HTTP server, in their own registry. */
export function createServerMetrics({ eventClients, refused }: ServerMetricsOptions): Registry {
  const registry = new Registry();
  void new Gauge({
    name: 'switchboard_event_clients',
    help: 'Open event streams.',
    registers: [registry],
    collect() {
      this.set(eventClients());
    },
  });
  void new Counter({
    name: 'switchboard_requests_limited_total',
    help: 'Requests rejected by a rate limit since the start, by limit.',
    labelNames: ['limit'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [limit, count] of Object.entries(refused())) this.inc({ limit }, count);
    },
  });
  return registry;
}
