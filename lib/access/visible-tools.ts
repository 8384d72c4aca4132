import type { Principal } from './principal.ts';

/** Visible tools: all, or those of the token. Returns the same array if nothing is filtered. */
export function visibleTools<Tool extends { readonly name: string }>(principal: Principal, tools: readonly Tool[]): readonly Tool[] {
  if (principal.kind !== 'token' || principal.tools === null) return tools;
  const { tools: names } = principal;
  return tools.filter(({ name }) => names.has(name));
}
