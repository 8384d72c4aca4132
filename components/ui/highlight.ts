'use client';

import { useEffect, useMemo, useState } from 'react';

const LONGEST = 60_000;

type Grammar = Exclude<CodeLanguage, 'json'>;

/** Highlighted lines: JSON immediately, others once the highlighter is loaded. Null until then and for very long code. */
export function useHighlighted(code: string, language: CodeLanguage | null): readonly CodeLine[] | null {
  const [done, setDone] = useState<{ code: string; language: Grammar; lines: readonly CodeLine[] } | null>(null);

  useEffect(() => {
    if (language === null || language === 'json' || code.length > LONGEST) return;
    let wanted = true;
    import('./highlighter.ts')
      .then(async ({ highlight }) => {
        const lines = await highlight(code, language);
        if (wanted) setDone({ code, language, lines });
      })
      // Not loaded, for example without a connection: the code stays plain.
      .catch(() => undefined);
    return () => {
      wanted = false;
    };
  }, [code, language]);

  const json = useMemo(() => (language === 'json' && code.length <= LONGEST ? jsonLines(code) : null), [code, language]);
  if (json !== null) return json;
  return done !== null && done.code === code && done.language === language ? done.lines : null;
}

export type CodeLanguage = 'json' | 'python' | 'shellscript' | 'typescript';

interface CodeToken {
  readonly at: number;
  readonly text: string;
  readonly className: string | null;
}

export interface CodeLine {
  /** From 1. */
  readonly number: number;
  readonly tokens: readonly CodeToken[];
}

/** By file name; null for no highlighting. */
export function languageOf(file: string): CodeLanguage | null {
  const ending = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  if (['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].includes(ending)) return 'typescript';
  if (ending === 'py') return 'python';
  if (ending === 'json') return 'json';
  return null;
}

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
