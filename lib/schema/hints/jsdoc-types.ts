import type { TSType } from 'oxc-parser';
import { parseSource } from '../parse-source.ts';

/** A type in a JavaScript doc comment. Null if it cannot be parsed. */
export function parseDocType(written: string): { readonly node: TSType; readonly text: string } | null {
  const text = `type T = ${asTypeScript(written)}`;
  const parsed = parseSource('doc.ts', text);
  const [statement] = parsed?.program.body ?? [];
  return parsed?.errors.length === 0 && statement?.type === 'TSTypeAliasDeclaration' ? { node: statement.typeAnnotation, text } : null;
}

/** `*`, `?T`, `T?`, `!T`, `...T`, `Array.<T>`, `Object.<K, V>` are older than TypeScript. */
function asTypeScript(written: string): string {
  const plain = written
    .trim()
    .replace(/^\.\.\.(.*)$/s, '($1)[]')
    .replace(/\b(?:Object|object)\.?<(?=[^<>]*,)/g, 'Record<')
    .replace(/\.</g, '<')
    .replace(/(^|[(<|,:]\s*)[*?](?=\s*(?:$|[)>|,;}\]]))/g, '$1unknown')
    .replace(/(^|[(<|,:]\s*)!/g, '$1');
  const nullable = /^\?(.*)$/s.exec(plain)?.[1] ?? /^(.*[^\s])\?$/s.exec(plain)?.[1];
  return nullable === undefined ? plain : `(${nullable}) | null`;
}
