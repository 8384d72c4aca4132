import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import python from 'shiki/langs/python.mjs';
import shellscript from 'shiki/langs/shellscript.mjs';
import typescript from 'shiki/langs/typescript.mjs';
import type { CodeLanguage, CodeLine } from './highlight.ts';

/*
 * Large, so only highlight.ts imports it, dynamically. Colors are class names: a content security policy may forbid style
 * attributes.
 */
const CLASSES: readonly (readonly [part: string, className: string])[] = [
  ['comment', 'token-comment'],
  ['string', 'token-string'],
  ['constant', 'token-number'],
  ['keyword', 'token-keyword'],
  ['function', 'token-function'],
];

const core = createHighlighterCore({
  themes: [createCssVariablesTheme()],
  langs: [python, shellscript, typescript],
  engine: createJavaScriptRegexEngine(),
});

export async function highlight(code: string, language: Exclude<CodeLanguage, 'json'>): Promise<readonly CodeLine[]> {
  const highlighter = await core;
  return highlighter.codeToTokens(code, { lang: language, theme: 'css-variables' }).tokens.map((line, index) => ({
    number: index + 1,
    tokens: line.map((token) => ({
      at: token.offset,
      text: token.content,
      className: CLASSES.find(([part]) => token.color?.includes(`token-${part}`) === true)?.[1] ?? null,
    })),
  }));
}
