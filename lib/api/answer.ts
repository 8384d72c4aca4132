import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PROBLEMS } from '#lib/contract/problems.ts';
import { type Problem, refuse } from '#lib/contract/result.ts';
import type { Logger } from '#lib/host/logger.ts';
import type { RequestHead } from './request.ts';

/** On every response of the API: it is no page and must not be cached or embedded. */
const API_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

type AnswerHeaders = Readonly<Record<string, string>>;

/** @param body null for none, as with 204 and redirects */
export function answer(
  status: number,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  headers: AnswerHeaders = {},
): Response {
  // Explicit, so that a HEAD request gets it too.
  const length = body === null || body instanceof ReadableStream ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Response(body, { status, headers: { ...API_HEADERS, ...length, ...headers } });
}

/** @param text of a JSON value */
export function answerJson(status: number, text: string, headers: AnswerHeaders = {}): Response {
  return answer(status, text, { 'content-type': 'application/json', ...headers });
}

/** @param ifNoneMatch the header of the request @param takesGzip whether the client accepts that content coding */
export async function answerList(list: object, ifNoneMatch: string | undefined, takesGzip: boolean): Promise<Response> {
  const text = textOfList(list);
  // It may be stored if it is validated before each use.
  const headers = { etag: text.tag, 'cache-control': 'private, no-cache', vary: 'Accept-Encoding' };
  if (hasContent(ifNoneMatch, text.tag)) return answer(304, null, headers);
  const json = { 'content-type': 'application/json', ...headers };
  if (!takesGzip || text.body.length < LEAST_GZIP_BYTES) return answer(200, text.body, json);
  text.gzipped ??= compress(text.body);
  return answer(200, await text.gzipped, { ...json, 'content-encoding': 'gzip' });
}

/** RFC 9457. */
export function answerProblem(problem: Problem): Response {
  return answer(PROBLEMS[problem.code].status, problemText(problem), problemHeaders(problem));
}

/**
 * The JSON of lists that are requested far more often than they change. A list is an object that stays the same while its
 * content does; its elements too, so that a change of one of a thousand writes that one again and joins the rest.
 */
interface ListText {
  readonly body: Buffer<ArrayBuffer>;
  /** Weak (RFC 9110): it stands for the plain and the compressed bytes. */
  readonly tag: string;
  /** The compressed text, once a client has asked for it. */
  gzipped: Promise<Buffer<ArrayBuffer>> | null;
}

/** A shorter text is one packet either way. */
const LEAST_GZIP_BYTES = 1_400;
const compress = promisify(gzip);

const lists = new WeakMap<object, ListText>();
const elements = new WeakMap<object, string>();

export function textOfList(list: object): ListText {
  const known = lists.get(list);
  if (known !== undefined) return known;
  const fields = Object.entries(list).flatMap(([name, value]: readonly [string, unknown]) => {
    const text = Array.isArray(value) ? `[${value.map(textOfElement).join(',')}]` : JSON.stringify(value);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  const body = Buffer.from(`{${fields.join(',')}}`);
  const text = { body, tag: `W/"${hash('sha256', body, 'base64url')}"`, gzipped: null };
  lists.set(list, text);
  return text;
}

function textOfElement(element: unknown): string {
  if (typeof element !== 'object' || element === null) return JSON.stringify(element) ?? 'null';
  const known = elements.get(element);
  if (known !== undefined) return known;
  const text = JSON.stringify(element);
  elements.set(element, text);
  return text;
}

/** Whether the client of a GET has this content: `If-None-Match` of RFC 9110. @param tag a weak one */
export function hasContent(ifNoneMatch: string | undefined, tag: string): boolean {
  return ifNoneMatch?.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^(?!W\/)/, 'W/') === tag) === true;
}

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

function problemHeaders(problem: Problem): Record<string, string> {
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
