import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';

/** On every page and asset. */
export const PAGE_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/**
 * Content security policy of one page load. Next reads the nonce from the request header and puts it on its scripts. Schemas
 * are compiled in a worker, so pages need no `unsafe-eval`: docs/adr/0004-content-security-policy-and-mcp-apps.md. React's
 * development tools do.
 */
export function pagePolicy(dev: boolean): string {
  const nonce = randomBytes(16).toString('base64');
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${dev ? " 'unsafe-eval'" : ''}`,
    "script-src-attr 'none'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' data:",
    "font-src 'self'",
    dev ? "connect-src 'self' ws:" : "connect-src 'self'",
    "worker-src 'self' blob:",
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Pages without scripts, which need no Next. */
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

const STYLE = `
:root { color-scheme: light dark }
body { font: 1rem/1.6 system-ui, sans-serif; margin: 0 auto }
`;

function sendPlainPage(request: IncomingMessage, response: ServerResponse, page: PlainPage): void {
  if (response.headersSent || response.destroyed) return;
  const { status, title, style, main, head = '', headers } = page;
  const nonce = randomBytes(16).toString('base64');
  const text = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}<title>${title} · Switchboard</title><style nonce="${nonce}">${STYLE}${style}</style><main>${main}</main></html>`;
  response.writeHead(status, {
    ...PAGE_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

const AGAIN_S = 5;

/** In place of every page while the database does not answer. It loads the page again automatically. */
export function answerAwayPage(request: IncomingMessage, response: ServerResponse): void {
  sendPlainPage(request, response, {
    status: 503,
    title: 'Database not available',
    style: `body { max-width: 40rem; padding: 20vh 1rem 0 }
h1 { font-size: 1.25rem }`,
    head: `<meta http-equiv="refresh" content="${AGAIN_S}">`,
    main: `<h1>The database does not answer</h1><p>Switchboard tries to reach it and loads this page again every ${AGAIN_S} seconds. Nothing that was stored is lost. <a href="">Try again now</a></p><p>If it lasts, check the database and DATABASE_URL. <code>/readyz</code> and the log of the server have the reason.</p>`,
    headers: { 'cache-control': 'no-store', 'retry-after': String(AGAIN_S) },
  });
}

const ERRORS = path.resolve(import.meta.dirname, '../../../docs/errors.md');
const ERRORS_STYLE = `body { max-width: 48rem; padding: 1.5rem 1rem 6rem; overflow-wrap: anywhere }
code, pre { font-family: ui-monospace, monospace; font-size: .92em }
pre { overflow-x: auto }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: .25rem solid GrayText }
table { border-collapse: collapse } th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid GrayText }
h2, h3 { margin-top: 2.5rem } :target { outline: .15rem solid Highlight; outline-offset: .3rem }`;

/**
 * Target of the `type` of problem documents: docs/errors.md, with an anchor per code. The text is ours, so its Markdown may become
 * HTML; links to other docs, which are not served, become plain text.
 */
export async function answerErrorsPage(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { Marked } = await import('marked');
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        return href.startsWith('#') ? `<a href="${encodeURI(href)}">${words}</a>` : words;
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escapeText(text)}</code></pre>\n`;
      },
    },
  });
  const main = marked.parse(await readFile(ERRORS, 'utf8'), { async: false });
  sendPlainPage(request, response, { status: 200, title: 'Errors', style: ERRORS_STYLE, main });
}

/** As on GitHub: the code itself, or the words with hyphens. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
