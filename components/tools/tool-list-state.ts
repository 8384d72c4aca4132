/** Holds whether the list of tools is shown beside a tool. */
export const TOOL_LIST_COOKIE = 'switchboard_tool_list';

/** `auto`: shown where form and result are wide enough beside it. */
export type ListState = 'auto' | 'open' | 'closed';

/** The cookie may hold any text. */
export function readListState(cookie: string | null | undefined): ListState {
  return cookie === 'open' || cookie === 'closed' ? cookie : 'auto';
}
