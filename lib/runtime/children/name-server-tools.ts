import { createHash } from 'node:crypto';
import { isValidName, NAME_RULE } from '#lib/contract/names.ts';
import { LIMITS } from '#lib/contract/limits.ts';

export interface NamedServerTool<Tool> {
  /** The local name. */
  readonly name: string;
  readonly tool: Tool;
  readonly warnings: readonly string[];
}

const HASH_CHARACTERS = 6;
/** Used if two short hashes are equal. */
const LONG_HASH_CHARACTERS = 16;
const SHOWN_CHARACTERS = 100;
const NOT_ALLOWED = /[^A-Za-z0-9_-]+/g;
const BEYOND_ASCII = /\P{ASCII}/u;
const ALLOWED_LETTER = /[A-Za-z0-9]/;

/**
 * Local names of a server's tools: the prefix, then the server's name with invalid characters replaced. Saved calls, tokens and
 * checks refer to them, so a name must never change to another tool: it depends on the tool's own name, not its index. Exact names
 * take precedence. An adapted name that collides with another tool, or lost letters of another script, ends in a hash of the tool's
 * own name.
 */
export function nameServerTools<Tool extends { readonly name: string }>(
  tools: readonly Tool[],
  prefix: string,
): { readonly named: readonly NamedServerTool<Tool>[]; readonly warnings: readonly string[] } {
  const byName = Map.groupBy(tools, ({ name }) => name);
  const owns = [...byName.keys()];
  const byValidName = Map.groupBy(owns, (own) => validName(prefix, own));
  const nameOf = (own: string): string => {
    const name = validName(prefix, own);
    return name === `${prefix}${own}` || byValidName.get(name)?.length === 1 ? name : hashedName(prefix, own);
  };
  const owners = Map.groupBy(owns, nameOf);
  const named = [...byName].flatMap(([own, [tool]]): NamedServerTool<Tool>[] => {
    if (tool === undefined) return [];
    const wanted = `${prefix}${own}`;
    const short = nameOf(own);
    const name = short === wanted || owners.get(short)?.length === 1 ? short : hashedName(prefix, own, LONG_HASH_CHARACTERS);
    return [{ name, tool, warnings: name === wanted ? [] : [renameWarning(own, name)] }];
  });
  const twice = [...byName].filter(([, same]) => same.length > 1);
  return {
    named,
    warnings: twice.map(([own]) => `The server lists “${own.slice(0, SHOWN_CHARACTERS)}” more than once; the first is used.`),
  };
}

function renameWarning(own: string, name: string): string {
  return `The server calls it “${own.slice(0, SHOWN_CHARACTERS)}”; with its prefix that is an invalid name (${NAME_RULE}), so it is ${name}.`;
}

/** The name of a tool without collisions. */
function validName(prefix: string, own: string): string {
  if (isValidName(`${prefix}${own}`)) return `${prefix}${own}`;
  if (BEYOND_ASCII.test(own) || !ALLOWED_LETTER.test(own)) return hashedName(prefix, own);
  const cleaned = clean(`${prefix}${own}`);
  return cleaned.length <= LIMITS.nameLength ? cleaned : hashedName(prefix, own);
}

function hashedName(prefix: string, own: string, characters = HASH_CHARACTERS): string {
  const hash = createHash('sha256').update(`${prefix}${own}`).digest('hex').slice(0, characters);
  return `${clean(`${prefix}${readable(own)}`).slice(0, LIMITS.nameLength - characters - 1)}_${hash}`;
}

/** The readable part of a name in another script: letters without accents; empty if no letter is left. */
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
