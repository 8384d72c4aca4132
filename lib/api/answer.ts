import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PROBLEMS } from '#lib/contract/problems.ts';
import type { Problem } from '#lib/contract/result.ts';
import { problemHeaders, problemText } from './problem.ts';
import { API_HEADERS } from './security-headers.ts';

export type AnswerHeaders = Readonly<Record<string, string>>;

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
