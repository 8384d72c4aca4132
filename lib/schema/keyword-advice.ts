import { nearestName } from './nearest-name.ts';
import { ONE_SCHEMA, SCHEMA_LISTS, SCHEMA_MAPS } from '#lib/contract/subschemas.ts';

/** Of both drafts. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...`$schema $id $ref $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary $comment type enum
    const title description default examples deprecated readOnly writeOnly required minimum maximum exclusiveMinimum
    exclusiveMaximum multipleOf minLength maxLength pattern format minItems maxItems uniqueItems minContains maxContains minProperties
    maxProperties dependentRequired contentEncoding contentMediaType`.split(/\s+/),
  ...ONE_SCHEMA,
  ...SCHEMA_LISTS,
  ...SCHEMA_MAPS,
]);

/** A key of its own is sooner meant than one of these. */
const MISSPELT = [...KEYWORDS].filter((keyword) => !keyword.startsWith('$') && !['not', 'if', 'then', 'else'].includes(keyword));

/** Words that other libraries have for a keyword and that no slip of the fingers leads to; in lower case without `_` and `-`. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  gt: 'exclusiveMinimum',
  lt: 'exclusiveMaximum',
  gte: 'minimum',
  ge: 'minimum',
  lte: 'maximum',
  le: 'maximum',
  step: 'multipleOf',
  regex: 'pattern',
  regexp: 'pattern',
  match: 'pattern',
  choices: 'enum',
  options: 'enum',
  values: 'enum',
  desc: 'description',
  help: 'description',
  element: 'items',
  elements: 'items',
  fields: 'properties',
  unique: 'uniqueItems',
};

const BY_TYPE: Readonly<Record<string, string>> = { string: 'Length', array: 'Items', object: 'Properties' };

/** What was most likely meant by a key of a parameter that is no keyword of JSON Schema and so checks nothing; null for a keyword, and where nothing is near. */
export function meantKeyword(key: string, type: unknown): string | null {
  if (KEYWORDS.has(key)) return null;
  const plain = key.toLowerCase().replaceAll(/[_-]/g, '');
  const bound = /^(min|max)(?:imum)?$/.exec(plain)?.[1];
  if (bound !== undefined) return `${bound}${(typeof type === 'string' ? BY_TYPE[type] : undefined) ?? 'imum'}`;
  if (Object.hasOwn(OTHER_WORDS, plain)) return OTHER_WORDS[plain] ?? null;
  return key.length < 4 ? null : nearestName(key.replaceAll(/[_-]/g, ''), MISSPELT);
}
