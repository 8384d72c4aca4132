import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, SseError } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { messageOf, readField } from './inner-errors.ts';
import { truncateMessage } from './thrown.ts';

/** Explains why the connection to a server failed. `url` is null for a server process. */
export function explainServerError(error: unknown, url: string | null): string {
  const at = url === null ? 'The server' : `The server at ${withoutSecrets(url)}`;
  if (isServerLost(error) || isSignInNeeded(error) || isCallBroken(error)) return messageOf(error);
  const status = statusOf(error);
  if (status !== null) {
    const hint = status === 401 || status === 403 ? '; check `headers`, a key may be required' : '';
    const said = wordsOf(error);
    return `${at} answered with HTTP status ${status}${hint}${said === null ? '.' : `. It said: ${said}`}`;
  }
  const network = networkCode(error) ?? streamReason(error);
  if (network !== null) return `${at} cannot be reached (${network}).`;
  if (error instanceof ProtocolError) return truncateMessage(`${at} refused: ${error.message} (code ${error.code})`);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return `${at} did not answer in time.`;
  return truncateMessage(`${at} sent an answer that is not MCP: ${messageOf(error)}`);
}

const SERVER_LOST = 'MCP_SERVER_LOST';

/** The connection could not be restored; `why` is a sentence. */
export function serverLost(why: string): Error {
  return Object.assign(new Error(why), { code: SERVER_LOST });
}

const SIGN_IN_NEEDED = 'SIGN_IN_NEEDED';

/** Nobody has signed in at the server, or it refuses the sign-in; `why` is a sentence. */
export function signInNeeded(why: string): Error {
  return Object.assign(new Error(why), { code: SIGN_IN_NEEDED });
}

export function isSignInNeeded(error: unknown): boolean {
  return readField(error, 'code') === SIGN_IN_NEEDED;
}

function isServerLost(error: unknown): boolean {
  return readField(error, 'code') === SERVER_LOST;
}

const CALL_BROKEN = 'MCP_CALL_BROKEN';
const CALL_BROKE = 'The connection to the MCP server broke while the call ran';
const MAY_HAVE_RUN = 'The server may have carried out the call; check before you repeat it.';

/** The error of a request whose stream ended without a response. Its data is compared by identity, so no server can send it. */
export const STREAM_ENDED = { code: -32_000, message: `${CALL_BROKE}. ${MAY_HAVE_RUN}`, data: {} } as const;

/** A renewed connection cannot deliver the answer. */
export function callBroken(cause: unknown): Error {
  return Object.assign(new Error(`${CALL_BROKE}, and was restored. ${MAY_HAVE_RUN}`, { cause }), { code: CALL_BROKEN });
}

/** The answer is lost, although the server can be reached again; the message says that the call may have run. */
export function isCallBroken(error: unknown): boolean {
  return readField(error, 'code') === CALL_BROKEN || (error instanceof ProtocolError && error.data === STREAM_ENDED.data);
}

/** Reasons of a connection that was made and then lost. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** What to do after a lost connection: the server may have got the request. */
export function adviceAfter(error: unknown): string {
  return BROKEN.has(networkCode(error) ?? '') ? MAY_HAVE_RUN : 'Try again.';
}

/** Whether the connection itself is unusable: a new one is needed. */
export function isConnectionLost(error: unknown): boolean {
  return isServerLost(error) || isServerUnreachable(error);
}

/** The server's address does not answer. */
export function isServerUnreachable(error: unknown): boolean {
  return networkCode(error) !== null;
}

/** The HTTP status of a refusal; null for other errors. */
export function statusOf(error: unknown): number | null {
  if (error instanceof SdkHttpError) return error.status;
  if (error instanceof SseError) return error.code ?? null;
  const posted = SSE_POST.exec(messageOf(error))?.groups?.['status'];
  return posted === undefined ? null : Number(posted);
}

/** HTTP+SSE reports a refusal only as text. */
const SSE_POST = /^Error POSTing to endpoint \(HTTP (?<status>\d{3})\): (?<body>.*)$/s;
const WORDS_CHARACTERS = 300;
const errorBodySchema = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
]);

/** The server's own text in a refusal, in one line; null if it is a page or empty. */
function wordsOf(error: unknown): string | null {
  const body = error instanceof SdkHttpError ? readField(error.data, 'text') : SSE_POST.exec(messageOf(error))?.groups?.['body'];
  if (typeof body !== 'string') return null;
  let words = body;
  try {
    const parsed = errorBodySchema.safeParse(JSON.parse(body));
    if (!parsed.success) return null;
    words = parsed.data;
  } catch {
    if (/^\s*</.test(body)) return null;
  }
  const line = words.replace(/\s+/g, ' ').trim();
  return line === '' ? null : line.slice(0, WORDS_CHARACTERS);
}

/** `fetch` says "fetch failed" and has the reason in its cause, with or without a code. */
function networkCode(error: unknown): string | null {
  let reason: string | null = null;
  for (let cause: unknown = error, depth = 0; cause !== undefined && cause !== null && depth < 5; depth += 1) {
    const code = readField(cause, 'code');
    if (typeof code === 'string' && NETWORK_CODE.test(code) && !SDK_CODES.has(code)) return code;
    if (reason !== null || messageOf(cause) === 'fetch failed') reason = messageOf(cause);
    const errors = readField(cause, 'errors');
    cause = Array.isArray(errors) && errors.length > 0 ? errors[0] : readField(cause, 'cause');
  }
  return reason;
}

/** The reason why a stream did not start is available only as text. */
function streamReason(error: unknown): string | null {
  return error instanceof SseError ? (/fetch failed: (?<reason>.*)/s.exec(error.message)?.groups?.['reason'] ?? null) : null;
}

const NETWORK_CODE = /^(?:E[A-Z_]+|UND_ERR_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+)$/;
const SDK_CODES: ReadonlySet<string> = new Set(Object.values(SdkErrorCode));

/** URLs may contain keys in the query or before the host; neither is shown. */
export function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url.replace(/\?.*$/, '').slice(0, 200);
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
