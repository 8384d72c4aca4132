import type { CodeLine, CodeToken } from './code-language.ts';

/*
 * JSON is what most pages show, and it needs no grammar: coloured as it is rendered, on the server too, where the highlighter of
 * the programming languages would come after the page and paint it a second time. What is not JSON stays plain where it is not.
 */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[\d.]*(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

export function jsonLines(code: string): readonly CodeLine[] {
  let at = 0;
  return code.split('\n').map((line, index) => {
    const tokens = tokensOf(line, at);
    at += line.length + 1;
    return { number: index + 1, tokens };
  });
}

function tokensOf(line: string, start: number): CodeToken[] {
  const tokens: CodeToken[] = [];
  let end = 0;
  const add = (text: string, className: string | null): void => {
    if (text === '') return;
    tokens.push({ at: start + end, text, className });
    end += text.length;
  };
  for (const match of line.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    add(line.slice(end, match.index), null);
    add(string ?? whole, string === undefined ? 'token-number' : colon === undefined ? 'token-string' : 'token-keyword');
  }
  add(line.slice(end), null);
  return tokens;
}
