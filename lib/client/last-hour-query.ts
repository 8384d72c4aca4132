import { queryOptions } from '@tanstack/react-query';
import { API } from '#lib/contract/paths.ts';
import { keys } from './queries.ts';
import { request } from './request.ts';

const REFETCH_MS = 10_000;

const lastHourShape = async () => (await import('#lib/contract/last-hour.ts')).lastHourSchema;

/** Calls of the last hour, invalidated by events of calls, and by time without any. */
export function lastHourQuery() {
  return queryOptions({
    queryKey: [...keys.callLists, 'last-hour'],
    queryFn: ({ signal }) => request(API.lastHour, lastHourShape, { signal }),
    refetchInterval: REFETCH_MS,
  });
}
