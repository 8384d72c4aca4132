import type { QueryClient } from '@tanstack/react-query';
import type { Call } from '#lib/contract/call.ts';
import { keys } from './queries.ts';

/**
 * Fills the query of a started call. A fast call ends before the response arrives, and its end event came before anyone
 * subscribed: so a running call is read once more when shown, and a known end is kept.
 */
export function cacheStarted(client: QueryClient, call: Call): void {
  const queryKey = keys.call(call.id);
  client.setQueryData<Call>(queryKey, (known) => (known === undefined || known.status === 'running' ? call : known));
  if (call.status === 'running') void client.invalidateQueries({ queryKey });
}
