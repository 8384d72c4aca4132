import { QueryClient } from '@tanstack/react-query';
import { isApiProblem } from './api-problem.ts';

const FRESH_MS = 60_000;
const RETRIES = 2;
const RETRY_MS = 3_000;

/** One per request on the server, one per page load in the browser. Data goes stale by events, not by time. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        networkMode: 'always',
        refetchOnWindowFocus: true,
        refetchOnReconnect: false,
        retry: (failures, error) => failures < RETRIES && isTransient(error),
        retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 4_000),
        // Retries while the server cannot answer: no event reports when it can.
        refetchInterval: ({ state: { error } }) => (isUnavailable(error) ? RETRY_MS : false),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

function isTransient(error: unknown): boolean {
  return isApiProblem(error) && (error.code === 'offline' || isUnavailable(error));
}

function isUnavailable(error: unknown): boolean {
  return isApiProblem(error) && error.status === 503;
}
