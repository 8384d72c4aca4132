'use client';

import { useQuery } from '@tanstack/react-query';
import { ListLink } from '#components/ui/ListLink.tsx';
import { CodeInText } from '#components/ui/CodeInText.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { LocalFiles } from '#components/ui/LocalFiles.tsx';
import { Facts } from '#components/ui/Panel.tsx';
import { sortByName } from '#components/ui/name-order.ts';
import { RelativeTime, useClockText } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { durationInWords, relativeInWords } from '#components/ui/times.ts';
import { callStatsQuery } from '#lib/client/call-stats-query.ts';
import type { Extension, ExtensionDetail } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { instancesInWords } from './ExtensionInstances.tsx';
import { CallCounts } from './ExtensionState.tsx';
import { kindAndRuntimeInWords } from './extension-words.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const ResourcePanel = lazyPart(() => import('./ResourcePanel.tsx').then((module) => module.ResourcePanel), <Skeleton lines={4} />);

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const LINK = 'rounded-sm underline decoration-line-strong underline-offset-2 hover:decoration-current';

const PROCESS: Record<Extension['process']['state'], string> = {
  none: 'idle; the next call starts it',
  starting: 'starting',
  running: 'running',
  backoff: 'stopped; restarting automatically',
  stopped: 'stopped',
  crash_loop: 'stopped too often; not restarted automatically',
};

/** Why a process is kept without calls. */
const KEPT: Record<NonNullable<Extension['process']['kept']>, string> = {
  declared: 'by KEEP_ALIVE',
  state: 'has state in memory',
  channel: 'is a channel',
  session: 'holds a session of an MCP server',
  activity: 'something runs in it; see its log',
};

export function processInWords({ process, serving_revision }: Pick<Extension, 'process' | 'serving_revision'>, now: number): string {
  if (process.state === 'none' && serving_revision === null) return 'none';
  const retry = process.retry_at === null ? '' : ` ${relativeInWords(Date.parse(process.retry_at), now)}`;
  const restarts = process.restarts === 0 ? '' : `, restarted ${process.restarts === 1 ? 'once' : `${process.restarts} times`}`;
  const pid = process.pid === null ? '' : ` (process ${process.pid})`;
  const kept = process.kept === null || process.state !== 'running' ? '' : `; kept without calls: ${KEPT[process.kept]}`;
  return `${PROCESS[process.state]}${process.state === 'backoff' ? retry : ''}${pid}${restarts}${kept}`;
}

export function ExtensionOverview({ extension }: { extension: ExtensionDetail }) {
  const process = useClockText((now) => processInWords(extension, now));
  const tools = sortByName(extension.tools, (name) => name);
  return (
    <div className="grid min-w-0 gap-6 p-4 2xl:grid-cols-2">
      <h2 className="sr-only">Overview</h2>
      <Facts
        className="content-start"
        items={[
          ...(extension.name === extension.id ? [] : [{ name: 'Name', value: <span className="foreign">{extension.name}</span> }]),
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
          ...(tools.length === 0
            ? []
            : [
                {
                  name: 'Tools',
                  value: (
                    <span className="flex flex-wrap gap-x-3 gap-y-0.5">
                      {tools.slice(0, TOOLS_SHOWN).map((tool) => (
                        <ListLink key={tool} href={PAGES.tool(tool)} className={`${LINK} py-0.5 break-all`}>
                          {tool}
                        </ListLink>
                      ))}
                      {tools.length > TOOLS_SHOWN ? <span className="text-muted">and {tools.length - TOOLS_SHOWN} more</span> : null}
                    </span>
                  ),
                },
              ]),
          ...extension.channels.map((channel) => ({
            name: 'Channel',
            value: (
              <ListLink href={PAGES.channel(channel)} className={LINK}>
                {channel}
              </ListLink>
            ),
          })),
          { name: 'Last hour', value: <HourOfCalls id={extension.id} /> },
          { name: 'Loaded', value: extension.loaded_at === null ? 'not loaded' : <RelativeTime time={extension.loaded_at} /> },
          { name: 'Process', value: process },
          ...(extension.instances.length < 2 ? [] : [{ name: 'Instances', value: instancesInWords(extension.instances) }]),
          ...(extension.instances.some((instance) => instance.local_files.length > 0)
            ? [{ name: 'Local files', value: <LocalFiles instances={extension.instances} /> }]
            : []),
          ...(extension.content_hash === null
            ? []
            : [
                {
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
              ]),
          ...(extension.instructions === ''
            ? []
            : [
                {
                  name: 'For agents',
                  value: (
                    <span className="foreign">
                      <CodeInText text={extension.instructions} />
                    </span>
                  ),
                },
              ]),
        ]}
      />
      {extension.state === 'excluded' ? null : <ResourcePanel id={extension.id} serves={extension.serving_revision !== null} />}
    </div>
  );
}

const TOOLS_SHOWN = 12;

function HourOfCalls({ id }: { id: string }) {
  const since = useClockText((now) => new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS - HOUR_MS).toISOString());
  const { data, error } = useQuery(callStatsQuery({ extension: id, since }));
  if (data === undefined) return <span className="text-muted">{error === null ? 'loading…' : 'not available'}</span>;
  const { calls, failed, p95_ms: most } = data.total;
  return (
    <span>
      <CallCounts extension={id} since={since} calls={calls} failed={failed} className={LINK} />
      {most === null ? null : <span className="text-muted">, p95 {durationInWords(most)}</span>}
    </span>
  );
}
