import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PAGE_HEADERS } from '../security-headers.ts';

/** In place of every page while the database does not answer. Without scripts; it loads the page again automatically. */

const AGAIN_S = 5;
const STYLE = `
:root { color-scheme: light dark }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 0 auto; padding: 20vh 1rem 0 }
h1 { font-size: 1.25rem }`;

export function answerAwayPage(request: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return;
  const nonce = randomBytes(16).toString('base64');
  const text = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="${AGAIN_S}"><title>Database not available · Switchboard</title><style nonce="${nonce}">${STYLE}</style><main><h1>The database does not answer</h1><p>Switchboard tries to reach it and loads this page again every ${AGAIN_S} seconds. Nothing that was stored is lost. <a href="">Try again now</a></p><p>If it lasts, check the database and DATABASE_URL. <code>/readyz</code> and the log of the server have the reason.</p></main></html>`;
  response.writeHead(503, {
    ...PAGE_HEADERS,
    'cache-control': 'no-store',
    'retry-after': String(AGAIN_S),
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}
