import type { QueryClient } from '@tanstack/react-query';
import { lastHourQuery } from '#lib/client/call-stats-queries.ts';
import { currentHost } from '#lib/host/current-host.ts';

const AT_ONCE_MS = 40;
const LAST_HOUR_MS = 300;

/**
 * The value, or null when it takes longer or fails: a page waits only briefly for a count or for files, and the browser requests
 * what is missing and shows its problem in place. A full-text search over a million calls takes longer.
 */
export function atOnce<Value>(read: Promise<Value>, mostMs = AT_ONCE_MS): Promise<Value | null> {
  const late = new Promise<null>((resolve) => {
    setTimeout(resolve, mostMs, null);
  });
  return Promise.race([read.catch(() => null), late]);
}

export async function prefetchLastHour(client: QueryClient): Promise<void> {
  const hour = await atOnce(currentHost().calls.lastHour(), LAST_HOUR_MS);
  if (hour?.ok === true) client.setQueryData(lastHourQuery().queryKey, hour.value);
}
