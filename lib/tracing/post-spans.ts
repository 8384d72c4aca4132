import { Agent as HttpAgent, request as requestByHttp } from 'node:http';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as requestByHttps } from 'node:https';

/**
 * One request to a collector. `later`: it may be tried again, after `waitMs` where it said so. `refused`: it will not
 * take these, `spans` of them.
 */
export type Posted =
  | { readonly outcome: 'taken'; readonly refused: number; readonly reason: string | null }
  | { readonly outcome: 'later'; readonly waitMs: number | null; readonly reason: string }
  | { readonly outcome: 'refused'; readonly reason: string };

export interface PostSpans {
  post(body: string, signal: AbortSignal): Promise<Posted>;
  close(): void;
}

export interface PostSpansOptions {
  readonly endpoint: string;
  /** May hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const TRY_LATER = new Set([429, 502, 503, 504]);
const ANSWER_BYTES = 65_536;

/** Over one kept connection; an answer is read up to 64 KiB, and a redirect is not followed, as the headers may hold secrets. */
export function createPostSpans({ endpoint, headers, timeoutMs }: PostSpansOptions): PostSpans {
  const url = new URL(endpoint);
  const isSecure = url.protocol === 'https:';
  const agent = isSecure ? new HttpsAgent({ keepAlive: true, maxSockets: 1 }) : new HttpAgent({ keepAlive: true, maxSockets: 1 });
  const start = (options: RequestOptions, onAnswer: (answer: IncomingMessage) => void): ClientRequest =>
    isSecure ? requestByHttps(url, options, onAnswer) : requestByHttp(url, options, onAnswer);

  return {
    post: (body, signal) =>
      new Promise((resolve) => {
        const bytes = Buffer.from(body);
        const lost = (error: unknown): void =>
          resolve({ outcome: 'later', waitMs: null, reason: error instanceof Error ? error.message : String(error) });
        const asked = start(
          {
            method: 'POST',
            agent,
            headers: { ...headers, 'content-type': 'application/json', 'content-length': bytes.length },
            signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
          },
          (answer) => {
            const parts: Buffer[] = [];
            let length = 0;
            answer.on('data', (part: Buffer) => {
              length += part.length;
              if (length <= ANSWER_BYTES) parts.push(part);
              else answer.destroy(new Error(`its answer has more than ${ANSWER_BYTES} bytes`));
            });
            answer.on('error', lost);
            answer.on('end', () => resolve(readAnswer(answer, Buffer.concat(parts).toString('utf8'))));
          },
        );
        asked.on('error', lost);
        asked.end(bytes);
      }),
    close: () => agent.destroy(),
  };
}

function readAnswer({ statusCode = 0, headers }: IncomingMessage, text: string): Posted {
  if (statusCode >= 200 && statusCode < 300) return { outcome: 'taken', ...partOf(text) };
  const reason = `it answered with status ${statusCode}`;
  if (!TRY_LATER.has(statusCode)) return { outcome: 'refused', reason };
  const seconds = Number(headers['retry-after']);
  return { outcome: 'later', waitMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null, reason };
}

/** A collector may take a part, and says then how many spans it did not. */
function partOf(text: string): { refused: number; reason: string | null } {
  try {
    const answer: unknown = JSON.parse(text);
    const part: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'partialSuccess') : undefined;
    if (typeof part !== 'object' || part === null) return { refused: 0, reason: null };
    const count = Number(Reflect.get(part, 'rejectedSpans') ?? 0);
    const message: unknown = Reflect.get(part, 'errorMessage');
    return {
      refused: Number.isSafeInteger(count) && count > 0 ? count : 0,
      reason: typeof message === 'string' ? message.slice(0, 500) : null,
    };
  } catch {
    return { refused: 0, reason: null };
  }
}
