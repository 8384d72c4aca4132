import type { CodeLine, CodeToken } from './code-language.ts';

/*
 * Highlights JSON without a grammar, also on the server: the highlighter loads after the page and would repaint it. Invalid
 * parts stay plain.
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
