import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { Marked } from 'marked';
import { sendPlainPage } from './plain-page.ts';

/**
 * Target of the `type` of problem documents: docs/errors.md as a page without scripts, with an anchor per code. The text is
 * ours, so its Markdown may become HTML; links to other docs, which are not served, become plain text.
 */
const SOURCE = path.resolve(import.meta.dirname, '../../../docs/errors.md');
const STYLE = `
:root { color-scheme: light dark }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 48rem; margin: 0 auto; padding: 1.5rem 1rem 6rem; overflow-wrap: anywhere }
code, pre { font-family: ui-monospace, monospace; font-size: .92em }
pre { overflow-x: auto }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: .25rem solid GrayText }
table { border-collapse: collapse } th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid GrayText }
h2, h3 { margin-top: 2.5rem } :target { outline: .15rem solid Highlight; outline-offset: .3rem }`;

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

export async function answerErrorsPage(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const main = marked.parse(await readFile(SOURCE, 'utf8'), { async: false });
  sendPlainPage(request, response, { status: 200, title: 'Errors', style: STYLE, main });
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
