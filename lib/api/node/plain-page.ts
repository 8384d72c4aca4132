import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PAGE_HEADERS } from '../security-headers.ts';

interface PlainPage {
  readonly status: number;
  readonly title: string;
  readonly style: string;
  /** HTML. */
  readonly main: string;
  /** HTML. */
  readonly head?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a page without scripts, which needs no Next. */
export function sendPlainPage(request: IncomingMessage, response: ServerResponse, page: PlainPage): void {
  if (response.headersSent || response.destroyed) return;
  const { status, title, style, main, head = '', headers } = page;
  const nonce = randomBytes(16).toString('base64');
  const text = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}<title>${title} · Switchboard</title><style nonce="${nonce}">${style}</style><main>${main}</main></html>`;
  response.writeHead(status, {
    ...PAGE_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}
