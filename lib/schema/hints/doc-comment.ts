import type { Node, TSType } from 'oxc-parser';
import type { ModuleText } from './module-text.ts';
import { parseSource } from '../parse-source.ts';
import { keyName } from '../syntax-nodes.ts';

/** A doc comment without its stars. */
export interface DocComment {
  /** Text before the first tag. */
  readonly text: string;
  readonly tags: readonly DocTag[];
  /** Offset of the comment. */
  readonly offset: number;
}

export interface DocTag {
  readonly name: string;
  readonly text: string;
}

/** One `@param` line; the type is the text between braces. */
export interface DocParameter {
  /** `options.city` for a property of a parameter, `list[].city` for one of the objects in a list. */
  readonly name: string;
  readonly type: string | null;
  readonly isOptional: boolean;
  /** From `[name=default]`, as written. */
  readonly defaultText: string | null;
  readonly text: string;
}

export const NO_DOC: DocComment = { text: '', tags: [], offset: 0 };

/** The last doc comment before a position; only other comments, such as those for a linter, may follow it. */
export function docBefore(module: ModuleText, offset: number): DocComment {
  let end = offset;
  for (let index = module.comments.findLastIndex((one) => one.end <= offset); index >= 0; index -= 1) {
    const comment = module.comments[index];
    if (comment === undefined || module.source.slice(comment.end, end).trim() !== '') return NO_DOC;
    if (comment.type === 'Block' && comment.value.startsWith('*')) return parseDoc(comment.value, comment.start);
    end = comment.start;
  }
  return NO_DOC;
}

/** In a one-line comment these tags may follow other words; others may not, since `@name` may be a word too. */
const TAG_IN_LINE = new RegExp(
  `\\s+(?=@(?:${[
    '(?:param|arg|argument|prop|property|returns?|throws|example)\\s',
    'type\\s+\\{',
    '(?:minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf|minLength|maxLength|minItems|maxItems)\\s+-?[\\d.]',
    '(?:default|defaultValue|pattern|format)\\s+\\S',
    '(?:integer|int|deprecated)(?:\\s|$)',
  ].join('|')}))`,
);

export function parseDoc(comment: string, offset: number): DocComment {
  const text: string[] = [];
  const tags: { name: string; lines: string[] }[] = [];
  let isCode = false;
  const body = comment.replace(/^\*/, '');
  const lines = body.split(/\r\n|[\n\r\u2028\u2029]/);
  for (const line of lines.length === 1 ? body.split(TAG_IN_LINE) : lines) {
    const bare = line.replace(/^\s*\*(?!\*) ?/, '').trimEnd();
    const tag = isCode ? null : /^\s*@([A-Za-z]\w*)(?:\s+|$)(.*)$/.exec(bare);
    if (bare.trimStart().startsWith('```')) isCode = !isCode;
    if (tag?.[1] !== undefined) tags.push({ name: tag[1], lines: [tag[2] ?? ''] });
    else (tags.at(-1)?.lines ?? text).push(bare);
  }
  return { text: joined(text), tags: tags.map(({ name, lines }) => ({ name, text: joined(lines) })), offset };
}

/** Keeps paragraphs, joins the lines of each; `{@link X}` becomes its text. */
function joined(lines: readonly string[]): string {
  const text = lines
    .join('\n')
    .trim()
    .replace(/\{@link(?:code|plain)?\s([^}|]{1,500})(?:\|([^}]{0,500}))?\}/g, (_, target: string, words?: string) =>
      (words ?? target).trim(),
    );
  if (/```|^\s*[-*\d]/m.test(text)) return text;
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s*\n\s*/g, ' ').trim())
    .join('\n\n');
}

export function docParameters(doc: DocComment): readonly DocParameter[] {
  return doc.tags.filter(({ name }) => /^(?:param|arg|argument)$/.test(name)).flatMap(({ text }) => readParameter(text) ?? []);
}

/** The `@property` lines of a `@typedef`, written like those of parameters. */
export function docProperties(doc: DocComment): readonly DocParameter[] {
  return doc.tags.filter(({ name }) => /^prop(?:erty)?$/.test(name)).flatMap(({ text }) => readParameter(text) ?? []);
}

function readParameter(text: string): DocParameter | null {
  const { type, rest } = splitType(text);
  const found =
    /^(?:\[\s*((?:[\w$.]|\[\])+)\s*(?:=\s*([^\]]*(?:\][^\]\s]*)*?))?\s*\]|((?:[\w$.]|\[\])+))(?:\s+|$)(?:[-–—:]\s*)?([\s\S]*)$/.exec(rest);
  if (found === null) return null;
  const [, optional, defaultText, plain, words] = found;
  return {
    name: optional ?? plain ?? '',
    type: type?.replace(/=$/, '').trim() ?? null,
    isOptional: optional !== undefined || (type?.endsWith('=') ?? false),
    defaultText: defaultText?.trim() ?? null,
    text: words ?? '',
  };
}

/** `{Record<string, {a: number}>} name …`: the type ends at the matching brace. */
export function splitType(text: string): { readonly type: string | null; readonly rest: string } {
  if (!text.startsWith('{')) return { type: null, rest: text };
  let depth = 0;
  for (const [index, character] of text.split('').entries()) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (depth === 0) return { type: text.slice(1, index).trim(), rest: text.slice(index + 1).trim() };
  }
  return { type: null, rest: text };
}

const NUMBER_TAGS = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
]);

/** Schema keywords from a doc comment on a property or type, without its default. */
export function docKeywords(doc: DocComment): Record<string, unknown> {
  const keywords: Record<string, unknown> = doc.text === '' ? {} : { description: doc.text };
  for (const { name, text } of doc.tags) {
    if (NUMBER_TAGS.has(name)) {
      const value = Number(text);
      if (text !== '' && Number.isFinite(value)) keywords[name] = value;
    } else if ((name === 'pattern' || name === 'format' || name === 'title') && text !== '') keywords[name] = text;
    else if (name === 'deprecated') keywords['deprecated'] = true;
    else if (name === 'integer' || name === 'int') keywords['type'] = 'integer';
    else if (name === 'description' && doc.text === '' && text !== '') keywords['description'] = text;
  }
  return keywords;
}

/**
 * A value as in JSON or, such as `['a']` and `{ a: 1 }`, as in JavaScript; else the text itself. Undefined for what only running
 * code can show, such as `process.cwd()`.
 */
export function jsonOrText(text: string): unknown {
  const bare = text.replace(/^`(.*)`$/s, '$1').trim();
  try {
    return JSON.parse(bare);
  } catch {
    const [statement] = parseSource('doc.ts', `(${bare})`)?.program.body ?? [];
    const node = statement?.type === 'ExpressionStatement' ? inner(statement.expression) : null;
    if (bare === 'undefined' || /^(?:Call|New|Await|Function|ArrowFunction)Expression$/.test(node?.type ?? '')) return undefined;
    const written = node === null ? null : plainValue(node);
    return written === null ? bare.replace(/^'(.*)'$/s, '$1') : written.value;
  }
}

function inner(node: Node): Node {
  return node.type === 'ParenthesizedExpression' ? inner(node.expression) : node;
}

/** Null: not only lists and objects of literals. */
function plainValue(node: Node): { readonly value: unknown } | null {
  if (node.type === 'Literal') return 'regex' in node || 'bigint' in node ? null : { value: node.value };
  if (node.type === 'UnaryExpression' && node.operator === '-') {
    const value = plainValue(node.argument)?.value;
    return typeof value === 'number' ? { value: -value } : null;
  }
  if (node.type === 'ArrayExpression') {
    const values = node.elements.map((element) => (element === null ? null : plainValue(element)));
    return values.includes(null) ? null : { value: values.map((one) => one?.value) };
  }
  if (node.type !== 'ObjectExpression') return null;
  const entries: (readonly [string, unknown])[] = [];
  for (const property of node.properties) {
    const name = property.type === 'Property' && !property.computed ? keyName(property.key) : null;
    const value = property.type === 'Property' ? plainValue(property.value) : null;
    if (name === null || value === null) return null;
    entries.push([name, value.value]);
  }
  return { value: Object.fromEntries(entries) };
}

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
