import type { IncomingMessage, ServerResponse } from 'node:http';
import { PROBLEMS } from '#lib/contract/problems.ts';
import type { Problem } from '#lib/contract/result.ts';
import type { Logger } from '#lib/host/logger.ts';
import type { RequestHead } from './request.ts';
import { API_HEADERS } from './security-headers.ts';

const CHALLENGE = 'Bearer realm="switchboard"';

/** RFC 9457: the document that says why a request did not become what it asked for. */
export function problemText(problem: Problem): string {
  const { status, title } = PROBLEMS[problem.code];
  return JSON.stringify({
    ...problem.extra,
    type: `/docs/errors#${problem.code}`,
    title,
    status,
    detail: problem.detail,
    code: problem.code,
  });
}

export function problemHeaders(problem: Problem): Record<string, string> {
  const headers: Record<string, string> = { ...API_HEADERS, 'content-type': 'application/problem+json' };
  if (problem.retryAfter !== undefined) headers['retry-after'] = String(problem.retryAfter);
  if (problem.code === 'sign_in_needed') headers['www-authenticate'] = challengeOf(problem);
  const allow = problem.code === 'method_not_allowed' ? problem.extra?.['allow'] : undefined;
  if (Array.isArray(allow)) headers['allow'] = allow.join(', ');
  return headers;
}

/** RFC 6750. `error` tells a client whose token was refused from one that sent none. */
function challengeOf(problem: Problem): string {
  return problem.extra?.['error'] === 'invalid_token' ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE;
}

/** A client may go on sending the body of a refused request; beyond this its connection is cut. */
const REFUSED_BODY_BYTES = 8_388_608;

/** The rest of a body is read and dropped, so that the client sees the answer and not a reset connection. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  if (response.headersSent || response.destroyed) return;
  const text = problemText(problem);
  response.writeHead(PROBLEMS[problem.code].status, { ...problemHeaders(problem), 'content-length': Buffer.byteLength(text) });
  response.end(request.method === 'HEAD' ? undefined : text);
  dropRest(request);
}

/** Reads what is left of a body, up to a point. */
export function dropRest(request: IncomingMessage): void {
  if (request.complete) return;
  let dropped = 0;
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > REFUSED_BODY_BYTES) request.destroy();
  });
  request.on('error', () => undefined);
  request.resume();
}

/** Where storage fails on the way; a call that was not begun for it is refused in words of its own (lib/calls/storage-refusal.ts). */
const STORAGE_DETAIL = {
  storage_unavailable:
    'The database stays locked by another program, so this could not be written to its end. What was done until then stays done: look at what is there before you ask for it again.',
  storage_full:
    'There is no room left on the disk, so this could not be written to its end. What was done until then stays done: free some space, and look at what is there before you ask for it again.',
} as const;

/** What a throw becomes: the two storage refusals by their code, anything else a bug of ours, whose text is in the log alone. */
export function problemOfThrown(thrown: unknown, { method, url }: Pick<RequestHead, 'method' | 'url'> = {}, logger?: Logger): Problem {
  const code: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'code') : undefined;
  if (code === 'storage_unavailable') return { code, detail: STORAGE_DETAIL.storage_unavailable, retryAfter: 5 };
  if (code === 'storage_full') return { code, detail: STORAGE_DETAIL.storage_full };
  logger?.error('A request failed', { method, path: url?.split('?', 1)[0], error: thrown });
  return { code: 'internal_error', detail: 'The server failed on this request. Its log has the cause.' };
}

export function methodRefusal(method: string | undefined, allow: readonly string[]): Problem {
  const others = `${allow.join(', ')} ${allow.length === 1 ? 'is' : 'are'}`;
  return { code: 'method_not_allowed', detail: `${method ?? 'This method'} is not supported here; ${others}.`, extra: { allow } };
}
