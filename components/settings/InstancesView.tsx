'use client';

import { useQuery } from '@tanstack/react-query';
import { Server } from 'lucide-react';
import { Badge, StateText } from '#components/ui/Badge.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { EmptyState, QueryState } from '#components/ui/QueryState.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { LocalFiles } from '#components/ui/LocalFiles.tsx';
import { PageHead, Panel } from '#components/ui/Panel.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { Table, Td, TdNumber, Th, Tr } from '#components/ui/Table.tsx';
import { cx } from '#components/ui/cx.ts';
import { instancesQuery } from '#lib/client/instance-queries.ts';
import type { Instance, InstanceList } from '#lib/contract/instance.ts';
import { PAGES } from '#lib/contract/paths.ts';

/** Running calls and heartbeats have no events. */
const REFRESH_MS = 5_000;

export function InstancesView() {
  const { data, error, refetch, isFetching } = useQuery({ ...instancesQuery(), refetchInterval: REFRESH_MS });
  if (data === undefined) return <QueryState query={{ error, refetch, isFetching }} what="the instances" lines={6} />;
  const alive = data.instances.filter(({ state }) => state !== 'gone');
  const gone = data.instances.filter(({ state }) => state === 'gone');
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead title="Instances" note={sumInWords(data, alive)} />
      {error === null ? null : <QueryState query={{ error, refetch, isFetching }} what="the instances" />}
      {alive.length === 0 ? (
        <div className="rounded border bg-panel">
          <EmptyState title="No instance has reported" icon={<Server />}>
            Each instance reports to the database every two seconds and appears here. The server that shows this page is cut off from the
            database, or is joining again.
          </EmptyState>
        </div>
      ) : (
        <div className="rounded border bg-panel">
          <InstanceTable label="Instances" instances={alive} isShared={data.shared} />
        </div>
      )}
      {alive.some((instance) => instance.local_files.length > 0) ? (
        <Panel title="Local files" note="in the extensions folder of an instance, not shared with the others">
          <LocalFiles instances={alive} className="flex flex-col gap-1 text-sm" />
        </Panel>
      ) : null}
      {gone.length === 0 ? null : (
        <Panel title="Gone" note="in the last 24 hours" flush>
          <InstanceTable label="Instances that are gone" instances={gone} isShared={data.shared} />
        </Panel>
      )}
    </div>
  );
}

export function sumInWords({ shared }: Pick<InstanceList, 'shared'>, alive: readonly Instance[]): string {
  if (!shared) return 'SQLite serves one instance. Several need PostgreSQL: set DATABASE_URL on each.';
  const ready = alive.filter(({ state }) => state === 'ready').length;
  const calls = alive.reduce((sum, instance) => sum + instance.calls_running, 0);
  return `${ready} of ${alive.length} ready, ${calls} ${calls === 1 ? 'call' : 'calls'} running`;
}

function InstanceTable({ label, instances, isShared }: { label: string; instances: readonly Instance[]; isShared: boolean }) {
  return (
    <Table label={label} className="max-md:block">
      <thead className="max-md:sr-only">
        <tr>
          <Th>Instance</Th>
          <Th>State</Th>
          <Th className="text-right">Calls running</Th>
          <Th className="text-right">Extensions ready</Th>
          <Th className="text-right">Failed</Th>
          <Th className="max-lg:hidden">Version</Th>
          <Th className="text-right max-lg:hidden">Started</Th>
          <Th className="text-right">Last seen</Th>
        </tr>
      </thead>
      <tbody className="max-md:block">
        {instances.map((instance) => (
          <Row key={instance.id} instance={instance} isShared={isShared} />
        ))}
      </tbody>
    </Table>
  );
}

const cell = 'max-md:flex max-md:h-auto max-md:items-center max-md:justify-between max-md:gap-4 max-md:px-4 max-md:py-1';
const LINK = 'link decoration-line-strong hover:decoration-current';

function Row({ instance, isShared }: { instance: Instance; isShared: boolean }) {
  const { id, state, extensions, calls_running: calls } = instance;
  const isGone = state === 'gone';
  return (
    <Tr className="max-md:block max-md:py-2">
      <Td className={cx('max-md:block max-md:h-auto max-md:px-4 max-md:py-1', isGone ? 'text-muted' : 'font-medium')}>
        <span className="flex flex-wrap items-center gap-x-2">
          {isShared ? (
            <ListLink href={PAGES.callsOfInstance(id)} className={cx(LINK, 'min-w-0 break-all')} title="Calls of this instance">
              <code>{id}</code>
            </ListLink>
          ) : (
            <code className="min-w-0 break-all">{id}</code>
          )}
          <CopyButton text={id} label={`Copy ${id}`} className="size-6" />
          {instance.is_self && isShared ? <Badge>Serves this page</Badge> : null}
        </span>
      </Td>
      <Td className={cell}>
        <Label>State</Label>
        <StateText state={state} />
      </Td>
      <TdNumber className={cx(cell, isGone && 'text-muted max-md:hidden')}>
        <Label>Calls running</Label>
        {isGone ? '–' : <Count count={calls} href={`${PAGES.callsOfInstance(id)}&status=running`} isLink={isShared} />}
      </TdNumber>
      <TdNumber className={cx(cell, isGone && 'text-muted max-md:hidden')}>
        <Label>Extensions ready</Label>
        {isGone ? '–' : extensions.ready}
      </TdNumber>
      <TdNumber className={cx(cell, isGone && 'text-muted max-md:hidden', !isGone && extensions.failed > 0 && 'text-failed')}>
        <Label>Failed</Label>
        {isGone ? '–' : <Count count={extensions.failed} href={`${PAGES.extensions}?state=failed`} isLink />}
      </TdNumber>
      <Td className={cx(cell, 'tabular text-muted max-lg:hidden max-md:flex')}>
        <Label>Version</Label>
        {instance.version}
      </Td>
      <TdNumber className={cx(cell, 'text-muted max-lg:hidden max-md:flex')}>
        <Label>Started</Label>
        <RelativeTime time={instance.started_at} />
      </TdNumber>
      <TdNumber className={cx(cell, 'text-muted')}>
        <Label>Last seen</Label>
        <RelativeTime time={instance.last_seen} />
      </TdNumber>
    </Tr>
  );
}

function Count({ count, href, isLink }: { count: number; href: string; isLink: boolean }) {
  if (count === 0 || !isLink) return count;
  return (
    <ListLink href={href} className={LINK}>
      {count}
    </ListLink>
  );
}

function Label({ children }: { children: string }) {
  return (
    <span aria-hidden className="text-muted md:hidden">
      {children}
    </span>
  );
}
