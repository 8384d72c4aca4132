import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Span, Tracer } from '#lib/contract/tracing.ts';
import type { Entered } from './gate.ts';

const PATH_LENGTH = 200;
const FILES = '/_next/';
/** Asked every few seconds, or open for hours: spans of these would only hide the others. */
const UNTRACED = new Set(['health', 'ready', 'metrics', 'events']);

/**
 * A span for one request, part of the trace that its client names by `traceparent`. It ends with the response, however
 * that ends. Of the address the path alone is told: a query may hold what somebody searched for.
 */
export function beginRequestSpan(tracer: Tracer, request: IncomingMessage, response: ServerResponse, admission: Entered): Span | null {
  const method = request.method ?? 'GET';
  const isPage = admission.to === 'page';
  if (isPage ? admission.path.startsWith(FILES) : isUntraced(admission.route.lane, method)) return null;
  const route = isPage ? null : admission.route.path;
  const [path = ''] = (request.url ?? '').split('?', 1);
  const { traceparent, tracestate } = request.headers;
  const span = tracer.begin(route === null ? method : `${method} ${route}`, {
    kind: 'server',
    parent:
      typeof traceparent === 'string' ? { traceparent, tracestate: Array.isArray(tracestate) ? tracestate.join() : tracestate } : null,
    attributes: {
      'http.request.method': method,
      'url.scheme': 'http',
      'url.path': path.slice(0, PATH_LENGTH),
      'network.protocol.version': request.httpVersion,
      ...(route === null ? {} : { 'http.route': route }),
    },
  });
  response.once('close', () => {
    const { statusCode } = response;
    const isCut = !response.writableFinished;
    const error = isCut ? 'client_gone' : statusCode >= 500 ? String(statusCode) : null;
    span.set({ 'http.response.status_code': statusCode, ...(error === null ? {} : { 'error.type': error }) });
    span.end(error);
  });
  return span;
}

/** A `GET` of the agents' endpoint is a stream too. */
function isUntraced(lane: string, method: string): boolean {
  return UNTRACED.has(lane) || (lane === 'mcp' && method === 'GET');
}
