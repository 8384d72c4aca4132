export type CodeLanguage = 'json' | 'python' | 'shellscript' | 'typescript';

export interface CodeToken {
  /** Offset in the code. */
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
