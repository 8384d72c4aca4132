'use client';

import { useEffect, useState } from 'react';
import type { CodeLanguage, CodeLine } from './code-language.ts';

const LONGEST = 60_000;

/** The coloured lines once the highlighter is there; until then, and for very long code, null: show it plain. */
export function useHighlighted(code: string, language: CodeLanguage | null): readonly CodeLine[] | null {
  const [done, setDone] = useState<{ code: string; language: CodeLanguage; lines: readonly CodeLine[] } | null>(null);

  useEffect(() => {
    if (language === null || code.length > LONGEST) return;
    let wanted = true;
    void import('./highlighter.ts').then(async ({ highlight }) => {
      const lines = await highlight(code, language);
      if (wanted) setDone({ code, language, lines });
    });
    return () => {
      wanted = false;
    };
  }, [code, language]);

  return done !== null && done.code === code && done.language === language ? done.lines : null;
}
