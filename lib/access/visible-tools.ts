import type { Principal } from './principal.ts';

/** The tools that somebody may see: all, or those that his token is made for. The list itself where nothing is left out. */
export function visibleTools<Tool extends { readonly name: string }>(principal: Principal, tools: readonly Tool[]): readonly Tool[] {
  if (principal.kind !== 'token' || principal.tools === null) return tools;
  const { tools: names } = principal;
  return tools.filter(({ name }) => names.has(name));
}
