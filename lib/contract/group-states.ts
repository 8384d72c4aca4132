/** Statuses of failure groups. Separate from the schemas, so pages with filters load less. */
export const GROUP_STATUSES = ['open', 'acknowledged', 'ignored', 'resolved'] as const;
export type GroupStatus = (typeof GROUP_STATUSES)[number];

/** Maximum length of a search. */
export const GROUP_SEARCH_MOST = 200;

/** Ends ignoring when different source fails the same way. */
export const UNTIL_CHANGED = 'changed';
