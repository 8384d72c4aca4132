import { parseAsInteger, parseAsString } from 'nuqs';

export const TIMELINE_FILTER = { extension: parseAsString, version: parseAsInteger };

export const VERSIONS_A_PAGE = 30;
