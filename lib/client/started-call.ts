import type { QueryClient } from '@tanstack/react-query';
import type { Call } from '#lib/contract/call.ts';
import { keys } from './queries.ts';

/**
 * Fills the query of a call with what the server answered when it was started. A quick call has ended before that answer is here,
 * and its end was told when nobody knew of it yet: so one that runs is read once more by whoever shows it, and an end that is
 * known already stays.
 */
export function knowStarted(client: QueryClient, call: Call): void {
  const queryKey = keys.call(call.id);
  client.setQueryData<Call>(queryKey, (known) => (known === undefined || known.status === 'running' ? call : known));
  if (call.status === 'running') void client.invalidateQueries({ queryKey });
}
