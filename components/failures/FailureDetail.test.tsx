import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { FailureDetail } from './FailureDetail.tsx';
import { groupFixture } from './group-for-tests.ts';
import { ReviewProvider } from './ReviewProvider.tsx';

vi.mock('next/navigation', () => ({ useRouter: () => ({ push: () => undefined, replace: () => undefined }) }));

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show() {
  const client = createQueryClient();
  const group = groupFixture();
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
  client.setQueryData(failureQueries.one(group.id).queryKey, group);
  render(
    <QueryClientProvider client={client}>
      <ReviewProvider>
        <FailureDetail id={group.id} />
      </ReviewProvider>
    </QueryClientProvider>,
  );
}

it('moves the focus to the assignee field', async () => {
  show();
  await userEvent.click(screen.getByRole('button', { name: 'Assign…' }));
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Assignee' }));
});

it('moves the focus to the options for splitting and merging', async () => {
  show();
  await userEvent.click(screen.getByRole('button', { name: 'Split or merge…' }));
  expect(document.activeElement?.contains(screen.getByRole('heading', { name: 'Split off' }))).toBe(true);
  expect(document.activeElement).not.toBe(document.body);
});
