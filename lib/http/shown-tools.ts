import { LOCAL_PERSON } from '#lib/access/principal.ts';
import { visibleTools } from '#lib/access/visible-tools.ts';
import type { ToolList } from '#lib/contract/tool.ts';
import { currentPrincipal } from './current-principal.ts';

/** What of a list of tools may be shown to who asks. */
export function shownTools(list: ToolList): ToolList {
  return { ...list, tools: [...visibleTools(currentPrincipal() ?? LOCAL_PERSON, list.tools)] };
}
