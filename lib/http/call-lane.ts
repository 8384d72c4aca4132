import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '#lib/access/principal.ts';
import { callRequestSchema } from '#lib/contract/call.ts';
import { API } from '#lib/contract/paths.ts';
import { ok } from '#lib/contract/result.ts';
import type { Problem } from '#lib/contract/result.ts';
import type { Host } from '#lib/host/host.ts';
import type { Logger } from '#lib/host/logger.ts';
import { readIdempotencyKey, REPLAYED } from './idempotency-key.ts';
import { parseJsonBody } from './json-body.ts';
import { parseBody } from './parse-fields.ts';
import { isInternal, problemOfThrown, sendProblem } from './problem.ts';
import { readBody } from './read-json.ts';
import { wantsAsync } from './wants-async.ts';
import { requesterFor } from './requester.ts';
import { API_HEADERS } from './security-headers.ts';

const LARGE_CHARACTERS = 262_144;

/**
 * `POST /api/v1/tools/{name}/call`, the hottest path: bytes in, one host call, the finished record out as the text it
 * already is. A client that goes away does not end its call; only cancel does.
 */
export async function answerCall(
  request: IncomingMessage,
  response: ServerResponse,
  tool: string,
  principal: Principal,
  host: Host,
  logger: Logger,
): Promise<void> {
  const refuseWith = (problem: Problem): void => sendProblem(request, response, problem);
  const body = await readBody(request);
  if (body === null) return;
  if (!body.ok) return refuseWith(body.problem);
  const requester = requesterFor(principal, (name) => headerOf(request, name));
  if (!requester.ok) return refuseWith(requester.problem);
  const key = readIdempotencyKey(principal, (name) => headerOf(request, name));
  if (!key.ok) return refuseWith(key.problem);
  // What has run under a key is answered also when its tool is gone.
  const known = key.value === null ? host.tools.get(tool) : ok(null);
  if (!known.ok) return refuseWith(known.problem);
  const json = body.value.length === 0 ? { ok: true as const, value: {} } : parseJsonBody(body.value);
  if (!json.ok) return refuseWith(json.problem);
  const asked = parseBody(callRequestSchema, json.value);
  if (!asked.ok) return refuseWith(asked.problem);

  try {
    const call = {
      tool,
      arguments: asked.value.arguments,
      timeoutMs: asked.value.timeout_ms,
      revision: asked.value.revision,
      ...requester.value,
    };
    if (key.value !== null) {
      const once = await host.calls.startOnce(key.value, call);
      if (!once.ok) return refuseWith(once.problem);
      if (once.value.isRepeated) return sendJson(response, 200, await once.value.finished, REPLAYED);
      return await answerStarted(request, response, once.value, host, logger);
    }
    const started = await host.calls.start(call);
    return started.ok ? await answerStarted(request, response, started.value, host, logger) : refuseWith(started.problem);
  } catch (error) {
    const problem = problemOfThrown(error);
    if (isInternal(problem)) logger.error('A call request failed', { tool, error });
    refuseWith(problem);
  }
}

/** Waits for the end, or answers at once where the client prefers that. */
async function answerStarted(
  request: IncomingMessage,
  response: ServerResponse,
  { id, finished }: { readonly id: string; readonly finished: Promise<string> },
  host: Host,
  logger: Logger,
): Promise<void> {
  if (!wantsAsync(headerOf(request, 'prefer'))) return sendJson(response, 200, await finished);
  finished.catch((error: unknown) => logger.error('The end of a call could not be kept', { call_id: id, error }));
  const running = host.calls.get(id);
  if (!running.ok) return sendProblem(request, response, running.problem);
  sendJson(response, 202, JSON.stringify(running.value), { location: API.call(id), 'preference-applied': 'respond-async' });
}

function sendJson(response: ServerResponse, status: number, text: string, more: Record<string, string> = {}): void {
  if (response.destroyed) return;
  response.writeHead(status, { ...API_HEADERS, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...more });
  // Else the head is put before it, which makes one more copy of it all.
  if (text.length > LARGE_CHARACTERS) response.flushHeaders();
  response.end(text);
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
