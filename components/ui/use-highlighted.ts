'use client';

import { useEffect, useMemo, useState } from 'react';
import type { CodeLanguage, CodeLine } from './code-language.ts';
import { jsonLines } from './json-lines.ts';

const LONGEST = 60_000;

type Grammar = Exclude<CodeLanguage, 'json'>;

/** Highlighted lines: JSON immediately, others once the highlighter is loaded. Null until then and for very long code. */
export function useHighlighted(code: string, language: CodeLanguage | null): readonly CodeLine[] | null {
  const [done, setDone] = useState<{ code: string; language: Grammar; lines: readonly CodeLine[] } | null>(null);

  useEffect(() => {
    if (language === null || language === 'json' || code.length > LONGEST) return;
    let wanted = true;
    void import('./highlighter.ts').then(async ({ highlight }) => {
      const lines = await highlight(code, language);
      if (wanted) setDone({ code, language, lines });
    });
    return () => {
      wanted = false;
    };
  }, [code, language]);

  const json = useMemo(() => (language === 'json' && code.length <= LONGEST ? jsonLines(code) : null), [code, language]);
  if (json !== null) return json;
  return done !== null && done.code === code && done.language === language ? done.lines : null;
}
