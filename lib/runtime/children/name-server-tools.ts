import { createHash } from 'node:crypto';
import { isValidName, NAME_RULE } from '#lib/contract/extension-names.ts';
import { LIMITS } from '#lib/contract/limits.ts';

export interface NamedServerTool<Tool> {
  /** As it is called here. */
  readonly name: string;
  readonly tool: Tool;
  readonly warnings: readonly string[];
}

const HASH_CHARACTERS = 6;
/** Where two of the short ones are the same. */
const LONG_HASH_CHARACTERS = 16;
const SHOWN_CHARACTERS = 100;
const NOT_ALLOWED = /[^A-Za-z0-9_-]+/g;
const BEYOND_ASCII = /\P{ASCII}/u;
const ALLOWED_LETTER = /[A-Za-z0-9]/;

/**
 * The names of a server's tools here: the prefix, then the server's own name, with what is not allowed replaced. Saved calls,
 * tokens and checks hang on them, so a name must never come to mean another tool: it derives from the tool's own name and not
 * from its place in the list. Exact names come first. A fitted name that another tool has or would get as well, or that lost
 * letters of another script, ends in a hash of the tool's own name.
 */
export function nameServerTools<Tool extends { readonly name: string }>(
  tools: readonly Tool[],
  prefix: string,
): { readonly named: readonly NamedServerTool<Tool>[]; readonly warnings: readonly string[] } {
  const byName = Map.groupBy(tools, ({ name }) => name);
  const owns = [...byName.keys()];
  const fitted = Map.groupBy(owns, (own) => fittedName(prefix, own));
  const nameOf = (own: string): string => {
    const name = fittedName(prefix, own);
    return name === `${prefix}${own}` || fitted.get(name)?.length === 1 ? name : hashedName(prefix, own);
  };
  const owners = Map.groupBy(owns, nameOf);
  const named = [...byName].flatMap(([own, [tool]]): NamedServerTool<Tool>[] => {
    if (tool === undefined) return [];
    const wanted = `${prefix}${own}`;
    const short = nameOf(own);
    const name = short === wanted || owners.get(short)?.length === 1 ? short : hashedName(prefix, own, LONG_HASH_CHARACTERS);
    return [{ name, tool, warnings: name === wanted ? [] : [fitWarning(own, name)] }];
  });
  const twice = [...byName].filter(([, same]) => same.length > 1);
  return {
    named,
    warnings: twice.map(([own]) => `The server lists “${own.slice(0, SHOWN_CHARACTERS)}” more than once; the first is used.`),
  };
}

function fitWarning(own: string, name: string): string {
  return `The server calls it “${own.slice(0, SHOWN_CHARACTERS)}”; with its prefix that is no name here (${NAME_RULE}), so it is ${name}.`;
}

/** The name that a tool gets when no other tool stands in its way. */
function fittedName(prefix: string, own: string): string {
  if (isValidName(`${prefix}${own}`)) return `${prefix}${own}`;
  if (BEYOND_ASCII.test(own) || !ALLOWED_LETTER.test(own)) return hashedName(prefix, own);
  const cleaned = clean(`${prefix}${own}`);
  return cleaned.length <= LIMITS.nameLength ? cleaned : hashedName(prefix, own);
}

function hashedName(prefix: string, own: string, characters = HASH_CHARACTERS): string {
  const hash = createHash('sha256').update(`${prefix}${own}`).digest('hex').slice(0, characters);
  return `${clean(`${prefix}${readable(own)}`).slice(0, LIMITS.nameLength - characters - 1)}_${hash}`;
}

/** What can be read of a name in another script: letters without their accents, and nothing where no letter is left. */
function readable(own: string): string {
  if (!BEYOND_ASCII.test(own) && ALLOWED_LETTER.test(own)) return own;
  const plain = own
    .slice(0, SHOWN_CHARACTERS)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
  return plain.replace(NOT_ALLOWED, '_').replace(/^_+|_+$/g, '') || 'tool';
}

function clean(text: string): string {
  const cleaned = text.replace(NOT_ALLOWED, '_');
  return /^[A-Za-z]/.test(cleaned) ? cleaned : `tool_${cleaned.replace(/^_+/, '')}`;
}
