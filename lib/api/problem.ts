import type { IncomingMessage, ServerResponse } from 'node:http';
import { PROBLEMS } from '#lib/contract/problems.ts';
import { type Problem, refuse } from '#lib/contract/result.ts';
import type { Logger } from '#lib/host/logger.ts';
import type { RequestHead } from './request.ts';
import { API_HEADERS } from './security-headers.ts';

export const NOT_READY = refuse('not_ready', 'The server is starting. Try again in a second.', { retryAfter: 1 });

const CHALLENGE = 'Bearer realm="switchboard"';

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
  const challenge = problem.challenge ?? (problem.code === 'sign_in_needed' ? challengeOf(problem) : null);
  if (challenge !== null) headers['www-authenticate'] = challenge;
  const allow = problem.code === 'method_not_allowed' ? problem.extra?.['allow'] : undefined;
  if (Array.isArray(allow)) headers['allow'] = allow.join(', ');
  return headers;
}

/** RFC 6750: `error` distinguishes a rejected token from a missing one. */
function challengeOf(problem: Problem): string {
  return problem.extra?.['error'] === 'invalid_token' ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE;
}

/** Bytes that a client may continue sending after a rejection; beyond that its connection is closed. */
const REFUSED_BODY_BYTES = 8_388_608;

/** Drains the body, so that the client gets the response and not a connection reset. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  if (response.headersSent || response.destroyed) return;
  const text = problemText(problem);
  response.writeHead(PROBLEMS[problem.code].status, { ...problemHeaders(problem), 'content-length': Buffer.byteLength(text) });
  response.end(request.method === 'HEAD' ? undefined : text);
  drainBody(request);
}

/** Reads the rest of a body, up to a limit. */
export function drainBody(request: IncomingMessage): void {
  if (request.complete) return;
  let dropped = 0;
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > REFUSED_BODY_BYTES) request.destroy();
  });
  request.on('error', () => undefined);
  request.resume();
}

/** Storage errors in general; a call that could not start has its own message (lib/calls/storage-refusal.ts). */
const STORAGE_DETAIL = {
  storage_unavailable:
    'The database is not available, so the change could not be completed. Parts of it may be stored: check the current state before you retry.',
  storage_full:
    'The disk is full, so the change could not be completed. Parts of it may be stored: free some space and check the current state before you retry.',
} as const;

const READ_DETAIL = 'The database is not available. Switchboard tries to reach it; try again in a few seconds.';

/** Problem of an exception: storage errors by code; others are bugs, whose message is only logged. */
export function problemOfThrown(thrown: unknown, { method, url }: Pick<RequestHead, 'method' | 'url'> = {}, logger?: Logger): Problem {
  const code: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'code') : undefined;
  const isRead = method === 'GET' || method === 'HEAD';
  if (code === 'storage_unavailable') return { code, detail: isRead ? READ_DETAIL : STORAGE_DETAIL.storage_unavailable, retryAfter: 5 };
  if (code === 'storage_full') return { code, detail: STORAGE_DETAIL.storage_full };
  logger?.error('A request failed', { method, path: url?.split('?', 1)[0], error: thrown });
  return { code: 'internal_error', detail: 'The server failed on this request. Its log has the cause.' };
}

export function methodRefusal(method: string | undefined, allow: readonly string[]): Problem {
  const others = `${allow.join(', ')} ${allow.length === 1 ? 'is' : 'are'}`;
  return { code: 'method_not_allowed', detail: `${method ?? 'This method'} is not supported here; ${others}.`, extra: { allow } };
}
