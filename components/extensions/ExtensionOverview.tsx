'use client';

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import Link from 'next/link';
import { Note } from '#components/ui/Note.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { LocalFiles } from '#components/ui/LocalFiles.tsx';
import { Select } from '#components/ui/Field.tsx';
import { Facts, Panel } from '#components/ui/Panel.tsx';
import { sortByName } from '#components/ui/name-order.ts';
import { RelativeTime, useClockText } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/QueryState.tsx';
import { durationInWords, relativeInWords } from '#components/ui/times.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { useExtensionAction } from '#lib/client/mutations.ts';
import { callStatsQuery, hourBefore } from '#lib/client/call-stats-queries.ts';
import type { Extension, ExtensionDetail, ExtensionInstance } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { CallCounts, kindAndRuntimeInWords } from './ExtensionState.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { StateText } from '#components/ui/Badge.tsx';

const ResourcePanel = lazyPart(() => import('./ResourcePanel.tsx').then((module) => module.ResourcePanel), <Skeleton lines={4} />);

const Markdown = lazyPart(async () => (await import('#components/ui/Markdown.tsx')).Markdown, <Skeleton lines={2} />);

const LINK = 'link decoration-line-strong hover:decoration-current';

const PROCESS: Record<Extension['process']['state'], string> = {
  none: 'Idle',
  starting: 'Starting',
  running: 'Running',
  backoff: 'Stopped; restarting automatically',
  stopped: 'Stopped',
  crash_loop: 'Stopped too often; not restarted automatically',
};

/** Why a process is kept without calls. */
const KEPT_REASONS: Record<NonNullable<Extension['process']['kept']>, string> = {
  chosen: 'kept alive as chosen',
  declared: 'kept alive by KEEP_ALIVE',
  state: 'kept: has state in memory',
  channel: 'kept alive for its channel',
  session: 'kept alive for its MCP session',
  activity: 'kept alive for its own work; see its log',
};

const KEPT_BY_ENTRY = 'kept alive by keepAlive in its mcp.json';

export function processInWords(
  { kind, process, serving_revision }: Pick<Extension, 'kind' | 'process' | 'serving_revision'>,
  now: number,
): string {
  if (process.state === 'none' && serving_revision === null) return 'None';
  const retry = process.retry_at === null ? '' : ` ${relativeInWords(Date.parse(process.retry_at), now)}`;
  const restarts = process.restarts === 0 ? '' : `, restarted ${process.restarts === 1 ? 'once' : `${process.restarts} times`}`;
  const pid = process.pid === null ? '' : ` (PID ${process.pid})`;
  const reason = process.kept === 'declared' && kind === 'mcp' ? KEPT_BY_ENTRY : process.kept === null ? null : KEPT_REASONS[process.kept];
  const kept = reason === null || process.state !== 'running' ? '' : `, ${reason}`;
  return `${PROCESS[process.state]}${process.state === 'backoff' ? retry : ''}${pid}${restarts}${kept}${process.state === 'none' ? '. The next call starts it.' : ''}`;
}

const CHOICES = [
  ['auto', 'Automatic'],
  ['keep', 'Keep running'],
  ['end', 'End when idle'],
] as const;
const KEEP_ALIVE = { auto: null, keep: true, end: false } as const;

/** Process state, and whether the process is kept alive without calls. That of a channel always is. */
function ProcessFact({ extension, children }: { extension: ExtensionDetail; children: ReactNode }) {
  const action = useExtensionAction(extension.id);
  const maySwitch = useMay('extensions.switch');
  if (!maySwitch || extension.kind === 'channel' || extension.state === 'excluded') return children;
  const chosen = action.isPending && action.variables.action === 'keep-alive' ? action.variables.keep : (extension.keep_alive ?? null);
  return (
    <span className="flex flex-col gap-1">
      <span className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <span>{children}</span>
        <span aria-hidden className="text-muted">
          Without calls
        </span>
        <Select
          aria-label="Without calls"
          title={`What happens to the process without calls. Automatic: ${extension.kind === 'mcp' ? 'keepAlive in its mcp.json decides' : 'KEEP_ALIVE or state in memory keeps it'}`}
          className="-mt-1 w-40"
          disabled={action.isPending}
          options={CHOICES}
          value={chosen === null ? 'auto' : chosen ? 'keep' : 'end'}
          onChange={(choice) => action.mutate({ action: 'keep-alive', keep: KEEP_ALIVE[choice] })}
        />
      </span>
      {action.error === null ? null : <span className="text-failed">{action.error.message}</span>}
    </span>
  );
}

/** Instructions as Markdown, rendered on the server: the parser is large. */
export interface RenderedInstructions {
  readonly text: string;
  readonly rendered: ReactNode;
}

interface ExtensionOverviewProps {
  readonly extension: ExtensionDetail;
  readonly instructions?: RenderedInstructions | null;
}

export function ExtensionOverview({ extension, instructions }: ExtensionOverviewProps) {
  const process = useClockText((now) => processInWords(extension, now));
  const tools = sortByName(extension.tools, (name) => name);
  return (
    <div className="grid min-w-0 gap-6 p-4 2xl:grid-cols-2">
      <h2 className="sr-only">Overview</h2>
      <Facts
        className="content-start"
        items={[
          extension.name === extension.id ? null : { name: 'Name', value: <span className="foreign">{extension.name}</span> },
          { name: 'Kind', value: kindAndRuntimeInWords(extension) },
          {
            name: 'File',
            value: (
              <span className="flex items-center gap-1">
                <code className="min-w-0 break-all">{extension.path}</code>
                <CopyButton text={extension.path} label="Copy the path" className="size-6" />
              </span>
            ),
          },
          tools.length === 0
            ? null
            : {
                name: 'Tools',
                value: (
                  <span className="flex flex-wrap gap-x-3 gap-y-1">
                    {tools.slice(0, TOOLS_SHOWN).map((tool) => (
                      <ListLink key={tool} href={PAGES.tool(tool)} className={`${LINK} [overflow-wrap:anywhere]`}>
                        {tool}
                      </ListLink>
                    ))}
                    {tools.length > TOOLS_SHOWN ? <span className="text-muted">and {tools.length - TOOLS_SHOWN} more</span> : null}
                  </span>
                ),
              },
          ...extension.channels.map((channel) => ({
            name: 'Channel',
            value: (
              <ListLink href={PAGES.channel(channel)} className={LINK}>
                {channel}
              </ListLink>
            ),
          })),
          { name: 'Last hour', value: <HourOfCalls id={extension.id} /> },
          { name: 'Loaded', value: extension.loaded_at === null ? 'Not loaded' : <RelativeTime time={extension.loaded_at} /> },
          { name: 'Process', value: <ProcessFact extension={extension}>{process}</ProcessFact> },
          extension.instances.length < 2 ? null : { name: 'Instances', value: instancesInWords(extension.instances) },
          extension.instances.some((instance) => instance.local_files.length > 0) && {
            name: 'Local files',
            value: <LocalFiles instances={extension.instances} />,
          },
          extension.content_hash === null
            ? null
            : {
                name: 'Source hash',
                value: (
                  <span className="flex items-center gap-1">
                    <code className="text-xs" title={extension.content_hash}>
                      {extension.content_hash.slice(0, 12)}
                    </code>
                    <CopyButton text={extension.content_hash} label="Copy the source hash" className="size-6" />
                  </span>
                ),
              },
          extension.instructions === ''
            ? null
            : {
                name: 'For agents',
                value: extension.instructions === instructions?.text ? instructions.rendered : <Markdown text={extension.instructions} />,
              },
        ]}
      />
      {extension.state === 'excluded' ? null : <ResourcePanel id={extension.id} serves={extension.serving_revision !== null} />}
    </div>
  );
}

const TOOLS_SHOWN = 12;

function HourOfCalls({ id }: { id: string }) {
  const since = useClockText(hourBefore);
  const { data, error } = useQuery(callStatsQuery({ extension: id, since }));
  if (data === undefined) return <span className="text-muted">{error === null ? 'loading…' : 'not available'}</span>;
  const { calls, failed, p95_ms: p95 } = data.total;
  return (
    <span>
      <CallCounts extension={id} since={since} calls={calls} failed={failed} className={LINK} />
      {p95 === null ? null : <span className="text-muted">, p95 {durationInWords(p95)}</span>}
    </span>
  );
}

type Served = Pick<ExtensionInstance, 'state' | 'serving_revision'>;

export function areDifferent(instances: readonly Served[]): boolean {
  return new Set(instances.map(({ state, serving_revision: serving }) => `${state} ${serving}`)).size > 1;
}

/** "2 of 3 serve revision 7": the newest of the revisions that most instances serve. */
export function instancesInWords(instances: readonly Served[]): string {
  const counts = new Map<number, number>();
  for (const { serving_revision: serving } of instances) if (serving !== null) counts.set(serving, (counts.get(serving) ?? 0) + 1);
  const [top] = [...counts].toSorted((one, other) => other[1] - one[1] || other[0] - one[0]);
  if (top === undefined) return `none of ${instances.length} serves it`;
  const [revision, count] = top;
  return count === instances.length
    ? `all ${count} serve revision ${revision}`
    : `${count} of ${instances.length} serve revision ${revision}`;
}

/** Shown while instances differ, for example during a load or if one lacks an interpreter. */
export function DifferentInstances({ instances }: { instances: readonly ExtensionInstance[] }) {
  return (
    <Panel title="Instances differ" note={instancesInWords(instances)} flush>
      <ul className="divide-y text-sm">
        {instances.map((instance) => (
          <li key={instance.id} className="flex min-w-0 flex-col gap-1 px-4 py-2">
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <Link href={PAGES.callsOfInstance(instance.id)} className="link min-w-0 break-all">
                <code>{instance.id}</code>
              </Link>
              <StateText state={instance.state} />
              <span className="tabular text-muted">
                {instance.serving_revision === null ? 'not serving' : `serves revision ${instance.serving_revision}`}
              </span>
            </span>
            {instance.failure === null ? null : (
              <>
                <Link
                  href={PAGES.failure(instance.failure.group_id)}
                  className="foreign w-fit max-w-full rounded-sm text-failed hover:underline"
                >
                  <CodeText text={instance.failure.error} />
                </Link>
                <Note tone="hint">
                  <CodeText text={instance.failure.hint} />
                </Note>
              </>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
