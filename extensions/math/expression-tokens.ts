import { ExpressionError } from './expression-error.ts';

export interface Token {
  readonly kind: 'number' | 'name' | 'sign' | 'end';
  readonly text: string;
  /** From 1. */
  readonly position: number;
}

const TOKEN = /\s*(?:(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[A-Za-z]\w*)|(?<sign>[-+*/%^(),]))/y;

export function readTokens(expression: string): readonly Token[] {
  const tokens: Token[] = [];
  const text = expression.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match?.groups === undefined) {
      const rest = text.slice(from);
      const gap = rest.length - rest.trimStart().length;
      const found = String.fromCodePoint(rest.codePointAt(gap) ?? 0);
      throw new ExpressionError(`“${found}” is no part of an expression. Use numbers, + - * / % ^, brackets and names.`, from + gap + 1);
    }
    const { number, name, sign } = match.groups;
    const found = number ?? name ?? sign ?? '';
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'sign';
    tokens.push({ kind, text: found, position: TOKEN.lastIndex - found.length + 1 });
  }
  return tokens;
}
