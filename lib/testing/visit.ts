import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request with exactly these headers; `fetch` would replace some. */
export interface Visit {
  readonly method?: string;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Simulates a client address behind a local proxy, so that each test has its own limits. */
  readonly from?: string;
}

export interface Visited {
  readonly status: number;
  readonly location: string | null;
  readonly setCookies: readonly string[];
  readonly header: (name: string) => string | null;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Headers of a browser after a link or redirect from another site. */
export const FROM_ANOTHER_SITE = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

export async function visit(url: string, { method = 'GET', cookie, headers = {}, body, from }: Visit = {}): Promise<Visited> {
  const sent = body === undefined ? '' : JSON.stringify(body);
  const outgoing = request(url, {
    method,
    headers: {
      ...(cookie === undefined ? {} : { cookie }),
      ...(from === undefined ? {} : { 'x-forwarded-for': from }),
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(sent)) }),
      ...headers,
    },
  });
  outgoing.end(sent);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  const received = await text(answer);
  return {
    status: answer.statusCode ?? 0,
    location: answer.headers.location ?? null,
    setCookies: answer.headers['set-cookie'] ?? [],
    header: (name) => {
      const value = answer.headers[name];
      return value === undefined ? null : String(value);
    },
    text: received,
    get json() {
      return JSON.parse(received);
    },
  };
}
