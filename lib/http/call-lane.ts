import type { IncomingMessage, ServerResponse } from 'node:http';
import { callRequestSchema } from '#lib/contract/call.ts';
import { API } from '#lib/contract/paths.ts';
import type { Problem } from '#lib/contract/result.ts';
import type { Host } from '#lib/host/host.ts';
import type { Logger } from '#lib/host/logger.ts';
import { parseJsonBody } from './json-body.ts';
import { parseBody } from './parse-fields.ts';
import { isInternal, problemOfThrown, sendProblem } from './problem.ts';
import { readBody } from './read-json.ts';
import { readRequester } from './requester.ts';
import { API_HEADERS } from './security-headers.ts';

/**
 * `POST /api/v1/tools/{name}/call`, the hottest path: bytes in, one host call, the finished record out as the text it
 * already is. A client that goes away does not end its call; only cancel does.
 */
export async function answerCall(
  request: IncomingMessage,
  response: ServerResponse,
  tool: string,
  host: Host,
  logger: Logger,
): Promise<void> {
  const refuseWith = (problem: Problem): void => sendProblem(request, response, problem);
  const body = await readBody(request);
  if (body === null) return;
  if (!body.ok) return refuseWith(body.problem);
  const requester = readRequester((name) => headerOf(request, name));
  if (!requester.ok) return refuseWith(requester.problem);
  const known = host.tools.get(tool);
  if (!known.ok) return refuseWith(known.problem);
  const json = body.value.length === 0 ? { ok: true as const, value: {} } : parseJsonBody(body.value);
  if (!json.ok) return refuseWith(json.problem);
  const asked = parseBody(callRequestSchema, json.value);
  if (!asked.ok) return refuseWith(asked.problem);

  try {
    const started = await host.calls.start({
      tool,
      arguments: asked.value.arguments,
      timeoutMs: asked.value.timeout_ms,
      revision: asked.value.revision,
      ...requester.value,
    });
    if (!started.ok) return refuseWith(started.problem);
    const { id, finished } = started.value;
    if (wantsAsync(request)) {
      finished.catch((error: unknown) => logger.error('The end of a call could not be kept', { call_id: id, error }));
      const running = host.calls.get(id);
      if (!running.ok) return refuseWith(running.problem);
      return sendJson(response, 202, JSON.stringify(running.value), { location: API.call(id), 'preference-applied': 'respond-async' });
    }
    sendJson(response, 200, await finished);
  } catch (error) {
    const problem = problemOfThrown(error);
    if (isInternal(problem)) logger.error('A call request failed', { tool, error });
    refuseWith(problem);
  }
}

function sendJson(response: ServerResponse, status: number, text: string, more: Record<string, string> = {}): void {
  if (response.destroyed) return;
  const bytes = Buffer.from(text);
  response.writeHead(status, { ...API_HEADERS, 'content-type': 'application/json', 'content-length': bytes.length, ...more });
  response.end(bytes);
}

function wantsAsync(request: IncomingMessage): boolean {
  const prefer = headerOf(request, 'prefer');
  return (
    prefer !== undefined &&
    prefer
      .toLowerCase()
      .split(',')
      .some((part) => part.trim() === 'respond-async')
  );
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
