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

/**
 * The names of a server's tools here: the prefix, then the server's name, made to fit the rule where it does not. The same
 * list gives the same names; one that would be given twice is left out, and said so.
 */
export function nameServerTools<Tool extends { readonly name: string }>(
  tools: readonly Tool[],
  prefix: string,
): { readonly named: readonly NamedServerTool<Tool>[]; readonly warnings: readonly string[] } {
  const named = new Map<string, NamedServerTool<Tool>>();
  const warnings: string[] = [];
  for (const tool of tools) {
    const wanted = `${prefix}${tool.name}`;
    const name = fit(wanted);
    const shown = tool.name.slice(0, 100);
    if (named.has(name)) {
      warnings.push(
        `The server offers "${shown}" and "${named.get(name)?.tool.name.slice(0, 100) ?? ''}", which are both ${name} here; the first is taken.`,
      );
      continue;
    }
    const advice = `The server calls it "${shown}"; with its prefix that is no name here (${NAME_RULE}), so it is ${name}.`;
    named.set(name, { name, tool, warnings: name === wanted ? [] : [advice] });
  }
  return { named: [...named.values()], warnings };
}

function fit(wanted: string): string {
  if (isValidName(wanted)) return wanted;
  const cleaned = wanted.replace(/[^A-Za-z0-9_-]+/g, '_');
  const begun = /^[A-Za-z]/.test(cleaned) ? cleaned : `tool_${cleaned.replace(/^_+/, '')}`;
  if (begun.length <= LIMITS.nameLength) return begun;
  const hash = createHash('sha256').update(wanted).digest('hex').slice(0, HASH_CHARACTERS);
  return `${begun.slice(0, LIMITS.nameLength - HASH_CHARACTERS - 1)}_${hash}`;
}
