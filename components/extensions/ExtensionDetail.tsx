'use client';

import { useQuery } from '@tanstack/react-query';
import { parseAsString, useQueryState } from 'nuqs';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { PageHead } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { StateBadge } from '#components/ui/StateBadge.tsx';
import { Tabs } from '#components/ui/Tabs.tsx';
import type { Tab } from '#components/ui/Tabs.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import type { ExtensionDetail as Detail } from '#lib/contract/extension.ts';
import { ExtensionAbout } from './ExtensionAbout.tsx';
import { ExtensionActions } from './ExtensionActions.tsx';
import { ExtensionLogs } from './ExtensionLogs.tsx';
import { ExtensionStatus } from './ExtensionStatus.tsx';
import { ExtensionTools } from './ExtensionTools.tsx';
import { FailurePanel } from './FailurePanel.tsx';
import { RevisionList } from './RevisionList.tsx';
import { SourceTab } from './SourceTab.tsx';
import { StateSentence } from './StateSentence.tsx';
import { WarningList } from './WarningList.tsx';

/** What `status()` says and what was printed have no events: they are read again while somebody looks. */
const REFRESH_MS = 5_000;

/** One extension: its state and what can be done, the failure first, then everything else in tabs. */
export function ExtensionDetail({ id }: { id: string }) {
  const { data, error, refetch, isFetching } = useQuery({
    ...queries.extension(id),
    refetchInterval: (query) => (hasProblemCode(query.state.error, 'extension_not_found') ? false : REFRESH_MS),
  });
  const [tab, setTab] = useQueryState('tab', parseAsString);

  if (error !== null && hasProblemCode(error, 'extension_not_found')) {
    return (
      <div className="rounded border bg-panel">
        <EmptyState title={<span className="break-all">{id} is not here any more</span>}>
          Its file or folder was removed. Its calls stay in the history, and it comes back when the file does.
        </EmptyState>
      </div>
    );
  }
  if (data === undefined) {
    return error === null ? (
      <Skeleton lines={10} label="Reading the extension…" />
    ) : (
      <ErrorState title="The extension could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
    );
  }

  const tabs = tabsOf(data);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title={<span className="break-all">{data.id}</span>}
        badge={
          <span className="flex flex-wrap items-center gap-2">
            <StateBadge state={data.state} />
            <StateSentence extension={data} />
          </span>
        }
        {...(data.description === '' ? {} : { note: <span className="foreign line-clamp-3 max-w-prose">{data.description}</span> })}
      />
      <ExtensionActions extension={data} />
      {data.failure === null ? null : <FailurePanel failure={data.failure} title={failureTitle(data)} />}
      <div className="rounded border bg-panel">
        <Tabs
          label="Parts of the extension"
          tabs={tabs}
          {...(tab === null ? {} : { value: tab })}
          onChange={(next) => void setTab(next === tabs[0]?.id ? null : next)}
        />
      </div>
    </div>
  );
}

function failureTitle(extension: Detail): string {
  const { failure, serving_revision: serving } = extension;
  if (failure === null) return '';
  if (failure.stage === 'run') return serving === null ? 'Stopped while running; its tools are unavailable' : 'Stopped while running';
  const which = failure.revision === null ? 'Not loaded' : `Revision ${failure.revision} was not loaded`;
  return serving === null ? `${which}; nothing serves` : `${which}; revision ${serving} goes on serving`;
}

function tabsOf(extension: Detail): readonly Tab[] {
  return [
    { id: 'tools', label: 'Tools', note: extension.tools.length, content: <ExtensionTools extension={extension} /> },
    ...(extension.state === 'excluded' ? [] : [{ id: 'source', label: 'Source', content: <SourceTab extension={extension} /> }]),
    { id: 'revisions', label: 'Revisions', note: extension.revisions.length, content: <RevisionList extension={extension} /> },
    { id: 'logs', label: 'Logs', content: <ExtensionLogs lines={extension.logs} truncated={extension.logs_truncated} /> },
    ...(extension.status === null && extension.status_error === null
      ? []
      : [{ id: 'status', label: 'Status', content: <ExtensionStatus extension={extension} /> }]),
    ...(extension.warnings.length === 0
      ? []
      : [{ id: 'warnings', label: 'Warnings', note: extension.warnings.length, content: <WarningList warnings={extension.warnings} /> }]),
    { id: 'about', label: 'About', content: <ExtensionAbout extension={extension} /> },
  ];
}
