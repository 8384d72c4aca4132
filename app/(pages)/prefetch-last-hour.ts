import type { QueryClient } from '@tanstack/react-query';
import { lastHourQuery } from '#lib/client/last-hour-query.ts';
import { currentHost } from '#lib/host/current-host.ts';

/** A page must not wait for a slow count; the browser requests it again. */
const COUNT_MOST_MS = 300;

export async function prefetchLastHour(client: QueryClient): Promise<void> {
  const hour = await Promise.race([currentHost().calls.lastHour(), tooLate()]);
  if (hour?.ok === true) client.setQueryData(lastHourQuery().queryKey, hour.value);
}

function tooLate(): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(resolve, COUNT_MOST_MS, null);
  });
}
