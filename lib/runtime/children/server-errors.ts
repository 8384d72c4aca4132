import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, SseError } from '@modelcontextprotocol/client';
import { messageOf, readField } from './message-of.ts';
import { cutMessage } from './thrown.ts';

/** Why a server could not be spoken to, in words. `url` is null for one that is a process. */
export function explainServerError(error: unknown, url: string | null): string {
  const at = url === null ? 'The server' : `The server at ${withoutSecrets(url)}`;
  const status = error instanceof SdkHttpError ? error.status : error instanceof SseError ? error.code : undefined;
  if (status !== undefined) {
    const advice = status === 401 || status === 403 ? '; look at `headers`, it may want a key' : '';
    return `${at} answered with HTTP status ${status}${advice}.`;
  }
  const network = networkCode(error) ?? streamReason(error);
  if (network !== null) return `${at} cannot be reached (${network}).`;
  if (error instanceof ProtocolError) return cutMessage(`${at} refused: ${error.message} (code ${error.code})`);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return `${at} did not answer in time.`;
  return cutMessage(`${at} answered what is not MCP: ${messageOf(error)}`);
}

/** Whether the connection itself is of no use any more: a new one must be made. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 404;
  return networkCode(error) !== null;
}

/** `fetch` says "fetch failed" and keeps the reason below it, with or without a code. */
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

/** What keeps a stream from beginning is told as text alone. */
function streamReason(error: unknown): string | null {
  return error instanceof SseError ? (/fetch failed: (?<reason>.*)/s.exec(error.message)?.groups?.['reason'] ?? null) : null;
}

const NETWORK_CODE = /^(?:E[A-Z_]+|UND_ERR_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+)$/;
const SDK_CODES: ReadonlySet<string> = new Set(Object.values(SdkErrorCode));

/** Keys are passed in the query or before the host; neither is shown. */
export function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url.replace(/\?.*$/, '').slice(0, 200);
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
