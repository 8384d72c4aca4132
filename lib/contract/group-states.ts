/** How a group of failures may stand. Apart from the shape of a group, so that a page that only filters loads nothing else. */
export const GROUP_STATUSES = ['open', 'acknowledged', 'ignored', 'resolved'] as const;
export type GroupStatus = (typeof GROUP_STATUSES)[number];

/** Characters of a search among them. */
export const GROUP_SEARCH_MOST = 200;

/** What ends ignoring, beside a date: the failure of other content than the one at hand. */
export const UNTIL_CHANGED = 'changed';
