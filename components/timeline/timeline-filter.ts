import { parseAsInteger, parseAsString } from 'nuqs';

/** What stands in the address: whose versions are listed, and which one is open. */
export const TIMELINE_FILTER = { extension: parseAsString, version: parseAsInteger };

export const VERSIONS_A_PAGE = 30;
