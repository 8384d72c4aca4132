import { API } from '#lib/contract/paths.ts';
import { readQuery } from './request.ts';

/* Saved calls of a tool as query options; see queries.ts. */

export const savedCallKeys = {
  ofAny: ['saved-calls'],
  list: (tool: string) => ['saved-calls', tool],
} as const;

const listSchema = async () => (await import('#lib/contract/saved-call.ts')).savedCallListSchema;

export const savedCallQueries = {
  /** By name. */
  list: (tool: string) => readQuery(savedCallKeys.list(tool), `${API.savedCalls}?${new URLSearchParams({ tool })}`, listSchema),
};
