'use client';

import { useQuery } from '@tanstack/react-query';
import { Badge } from '#components/ui/Badge.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Section } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { healthQuery } from '#lib/client/health-query.ts';
import type { IsolationLevel } from '#lib/contract/health.ts';

const NAMES: Readonly<Record<IsolationLevel['name'], string>> = {
  process: 'Process',
  permissions: 'Permissions',
  memory: 'Memory',
  parent_death: 'End of the server',
  leftovers: 'Programs left behind',
  network_namespace: 'Network of Python',
};

/** What keeps extensions apart on the machine of the server, as it was tried at its start. */
export function IsolationPanel() {
  const { data, error, refetch, isFetching } = useQuery(healthQuery());
  const levels = data?.isolation?.levels;
  return (
    <Section title="Isolation on this machine" note="of all extensions" className="px-4">
      {levels !== undefined ? (
        <ul className="divide-y">
          {levels.map(({ name, is_on: isOn, note }) => (
            <li key={name} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-1.5 text-sm">
              <Badge>{isOn ? 'on' : 'off'}</Badge>
              <span className="font-medium">{NAMES[name]}</span>
              <span className="min-w-0 flex-1 basis-60 text-muted">{note}</span>
            </li>
          ))}
        </ul>
      ) : error === null ? (
        <Skeleton lines={6} label="Reading the isolation…" />
      ) : (
        <ErrorState
          title="The isolation could not be read"
          detail={messageOf(error)}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
    </Section>
  );
}
