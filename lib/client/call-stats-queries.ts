import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { API } from '#lib/contract/paths.ts';
import { type CallListFilter, definedOf, keys } from './queries.ts';
import { request } from './request.ts';

const REFETCH_MS = 10_000;

const statsSchema = async () => (await import('#lib/contract/call.ts')).callStatsSchema;

/** Counts and latencies of a list of calls, invalidated by the same events. */
export function callStatsQuery(filter: CallListFilter) {
  return queryOptions({
    queryKey: [...keys.callLists, 'stats', definedOf(filter)],
    queryFn: ({ signal }) => request(`${API.callStats}?${new URLSearchParams(definedOf(filter))}`, statsSchema, { signal }),
    // A response may be slightly older than the event.
    refetchInterval: REFETCH_MS,
    placeholderData: keepPreviousData,
  });
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Start of the last hour, at a full minute, so that server and browser ask for the same. `now`: epoch milliseconds. */
export function hourBefore(now: number): string {
  return new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS - HOUR_MS).toISOString();
}

/** Export URL of a filter; CSV for spreadsheets declares UTF-8. */
export function exportAddress(filter: CallListFilter, format: 'ndjson' | 'csv'): string {
  return `${API.exportCalls}?${new URLSearchParams({ ...definedOf(filter), format, ...(format === 'csv' ? { byte_order_mark: 'true' } : {}) })}`;
}

const lastHourShape = async () => (await import('#lib/contract/last-hour.ts')).lastHourSchema;

/** Calls of the last hour, invalidated by events of calls, and by time without any. */
export function lastHourQuery() {
  return queryOptions({
    queryKey: [...keys.callLists, 'last-hour'],
    queryFn: ({ signal }) => request(API.lastHour, lastHourShape, { signal }),
    refetchInterval: REFETCH_MS,
  });
}
