import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Span, Tracer } from '#lib/contract/tracing.ts';
import { pathOf } from './hosts.ts';

const PATH_LENGTH = 200;

/**
 * A span per request, in the client's trace (`traceparent`). It ends with the response, however that ends. It only has the
 * path: a query may contain search texts.
 * @param route null for a page
 */
export function beginRequestSpan(tracer: Tracer, request: IncomingMessage, response: ServerResponse, route: string | null): Span {
  const method = request.method ?? 'GET';
  const { traceparent, tracestate } = request.headers;
  const span = tracer.begin(route === null ? method : `${method} ${route}`, {
    kind: 'server',
    parent:
      typeof traceparent === 'string' ? { traceparent, tracestate: Array.isArray(tracestate) ? tracestate.join() : tracestate } : null,
    attributes: {
      'http.request.method': method,
      'url.scheme': 'http',
      'url.path': pathOf(request).slice(0, PATH_LENGTH),
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
