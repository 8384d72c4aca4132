import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import { AgentView } from './AgentView.tsx';
import { callRecord, toolRecord } from '#lib/testing/api-records.ts';

afterEach(cleanup);

const TOOL = toolRecord('sign_in', { label: 'Sign in', extension: 'a', description: 'Signs in.' });

const CALL = callRecord({
  id: 'c',
  tool: 'sign_in',
  extension: 'a',
  source: 'mcp',
  result: { session: 'of the day' },
});

function show(call: Call) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } });
  client.setQueryData(queries.tool(TOOL.name).queryKey, TOOL);
  client.setQueryData(queries.extensions().queryKey, {
    version: 1,
    watch: { mode: 'native', reason: null, self_test: { result: 'seen', reason: null, at: null, duration_ms: null } },
    loading: null,
    extensions: [],
  });
  render(
    <QueryClientProvider client={client}>
      <AgentView call={call} />
    </QueryClientProvider>,
  );
}

it('notes that the agent received redacted values', () => {
  show({ ...CALL, result: { access_token: '[redacted]' } });
  expect(screen.getByRole('note').textContent).toContain('replaces values that the agent received');
});

it('shows no note for a complete record', () => {
  show(CALL);
  expect(screen.getByText('Response')).toBeTruthy();
  expect(screen.queryByRole('note')).toBeNull();
});

it('notes that metadata for programs is omitted', () => {
  show(CALL);
  expect(screen.getByText(/for programs, such as the call ID/)).toBeTruthy();
});
