import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it } from 'vitest';
import { ApiProblem } from './api-problem.ts';
import { connectionAt } from './connection-for-tests.ts';
import { Live } from './live-context.ts';
import { useServerMutation } from './use-server-mutation.ts';

it.each([
  ['of an unreachable server', new ApiProblem('offline', 'Away.'), false],
  ['of a server that rejected the request', new ApiProblem('too_many_calls', 'Too many.', { status: 429 }), true],
])('the error %s is kept or cleared after a reconnect', async (_, problem, holds) => {
  const { live, setState } = connectionAt('live');
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>
      <Live value={live}>{children}</Live>
    </QueryClientProvider>
  );
  const { result } = renderHook(() => useServerMutation({ mutationFn: () => Promise.reject(problem) }), { wrapper });
  await act(() => result.current.mutateAsync().catch(() => undefined));
  await waitFor(() => expect(result.current.error).toBe(problem));
  act(() => setState('reconnecting'));
  expect(result.current.error).toBe(problem);
  act(() => setState('live'));
  await waitFor(() => expect(result.current.error).toBe(holds ? problem : null));
});
