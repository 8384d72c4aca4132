import type { IncomingMessage, ServerResponse } from 'node:http';
import { Histogram, type Registry } from 'prom-client';
import type { Principal } from '#lib/access/principal.ts';
import type { Logger } from '#lib/host/logger.ts';
import type { RequestHead } from '../request.ts';

/**
 * Duration of requests by method, route and status, and an access log for debugging. What can go wrong:
 * - labels with ever new values would fill the memory here and in Prometheus: a route is the pattern of its definition, and
 *   rare methods are counted together;
 * - an event stream is open for hours: requests of the API are measured until the response begins.
 */
export type RequestMetrics = ReturnType<typeof createRequestMetrics>;

interface AnsweredRequest {
  readonly head: Pick<RequestHead, 'method'>;
  /** Path pattern of the route, or `none`. Never the path of the request. */
  readonly route: string;
  /** By `performance.now()`. */
  readonly begun: number;
  /** Null if rejected before it was known. */
  readonly principal: Principal | null;
}

/** Fewer than for calls: each is a series per method, route and status. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** @param accessLog null for none */
export function createRequestMetrics(registry: Registry, accessLog: Logger | null) {
  const durations = new Histogram({
    name: 'switchboard_http_request_duration_seconds',
    help: 'Duration of HTTP requests until the response begins; of pages and assets, until it is sent.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });

  function observe(status: number, { head: { method: sent = '' }, route, begun, principal }: AnsweredRequest): void {
    const durationMs = performance.now() - begun;
    const method = METHODS.has(sent) ? sent : 'other';
    durations.observe({ method, route, status }, durationMs / 1_000);
    accessLog?.debug('A request was answered', {
      method,
      route,
      status,
      duration_ms: Math.round(durationMs * 1_000) / 1_000,
      ...(principal === null ? {} : { principal: principal.kind }),
    });
  }

  return {
    /** Observes a response of the API that is about to be sent, and returns it. */
    answered(response: Response, request: AnsweredRequest): Response {
      observe(response.status, request);
      return response;
    },
    /** Observes a response when it is sent, for what the API does not answer. @param route `none`: rejected before routing */
    watch(head: IncomingMessage, response: ServerResponse, route: 'page' | 'asset' | 'none'): void {
      const begun = performance.now();
      response.once('close', () => {
        if (response.headersSent) observe(response.statusCode, { head, route, begun, principal: null });
      });
    },
  };
}
