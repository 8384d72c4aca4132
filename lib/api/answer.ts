import { hash } from 'node:crypto';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { PROBLEMS } from '#lib/contract/problems.ts';
import type { Problem } from '#lib/contract/result.ts';
import { problemHeaders, problemText, sendProblem } from './problem.ts';
import type { ApiContext } from './request.ts';
import { API_HEADERS } from './security-headers.ts';

/**
 * API responses. A text goes directly to Node's response if there is one: a `Response` would be read back as a stream, which
 * takes the main thread 40 µs more per call (docs/performance.md). Elsewhere it is a standard `Response`.
 */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/** From this size on Node copies head and text together unless the head is sent first. */
const LARGE_CHARACTERS = 262_144;

/** @param body null for none, as with 204 and redirects */
export function answer(context: ApiContext, status: number, body: string | Uint8Array | null, headers: AnswerHeaders = {}): Response {
  const { outgoing } = context.env ?? {};
  const all = { ...API_HEADERS, ...headers };
  if (outgoing === undefined) {
    const plain = new Headers();
    for (const [name, value] of Object.entries(all)) for (const one of [value].flat()) plain.append(name, one);
    return new Response(typeof body === 'string' || body === null ? body : new Uint8Array(body), { status, headers: plain });
  }
  if (outgoing.headersSent || outgoing.destroyed) return RESPONSE_ALREADY_SENT;
  const sent: Record<string, string | string[] | number> = {};
  for (const [name, value] of Object.entries(all)) sent[name] = typeof value === 'string' ? value : [...value];
  if (body !== null) sent['content-length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  outgoing.writeHead(status, sent);
  if (body !== null && body.length > LARGE_CHARACTERS) outgoing.flushHeaders();
  outgoing.end(body ?? undefined);
  return RESPONSE_ALREADY_SENT;
}

/** @param text of a JSON value */
export function answerJson(context: ApiContext, status: number, text: string, headers: AnswerHeaders = {}): Response {
  return answer(context, status, text, { 'content-type': 'application/json', ...headers });
}

/** @param ifNoneMatch the header of the request */
export function answerList(context: ApiContext, list: object, ifNoneMatch: string | undefined): Response {
  const { body, tag } = textOfList(list);
  // It may be stored if it is validated before each use.
  const headers = { etag: tag, 'cache-control': 'private, no-cache' };
  return hasContent(ifNoneMatch, tag)
    ? answer(context, 304, null, headers)
    : answer(context, 200, body, { 'content-type': 'application/json', ...headers });
}

/** RFC 9457. */
export function answerProblem(context: ApiContext, problem: Problem): Response {
  const { incoming, outgoing } = context.env ?? {};
  if (incoming === undefined || outgoing === undefined)
    return new Response(problemText(problem), { status: PROBLEMS[problem.code].status, headers: problemHeaders(problem) });
  sendProblem(incoming, outgoing, problem);
  return RESPONSE_ALREADY_SENT;
}

/**
 * The JSON of lists that are requested far more often than they change. A list is an object that stays the same while its
 * content does; its elements too, so that a change of one of a thousand writes that one again and joins the rest.
 */
interface ListText {
  readonly body: Uint8Array;
  /** With its quotes. */
  readonly tag: string;
}

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
  const text = { body, tag: `"${hash('sha256', body, 'base64url')}"` };
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

/** Whether the client of a GET has this content: `If-None-Match` of RFC 9110. */
export function hasContent(ifNoneMatch: string | undefined, tag: string): boolean {
  return ifNoneMatch?.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag) === true;
}
