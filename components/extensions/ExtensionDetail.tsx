'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { parseAsString, useQueryState } from 'nuqs';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { LongText } from '#components/ui/LongText.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { StateBadge } from '#components/ui/StateBadge.tsx';
import { Tabs } from '#components/ui/Tabs.tsx';
import type { Tab } from '#components/ui/Tabs.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import type { ExtensionDetail as Detail } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { ExtensionActions } from './ExtensionActions.tsx';
import { ExtensionOverview } from './ExtensionOverview.tsx';
import { ExtensionStatus } from './ExtensionStatus.tsx';
import { ExtensionTools } from './ExtensionTools.tsx';
import { FailurePanel } from './FailurePanel.tsx';
import { RevisionList } from './RevisionList.tsx';
import { SourceTab } from './SourceTab.tsx';
import { StateSentence } from './StateSentence.tsx';
import { WarningList } from './WarningList.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const LOADING = <Skeleton lines={6} label="Loading this part…" />;
/** For what is not here, which is seldom. */
const BringBack = lazyPart(() => import('./BringBack.tsx').then((module) => module.BringBack));
const ExtensionFailures = lazyPart(() => import('./ExtensionFailures.tsx').then((module) => module.ExtensionFailures), LOADING);
const ExtensionLogs = lazyPart(() => import('./ExtensionLogs.tsx').then((module) => module.ExtensionLogs), LOADING);
const ExtensionSettings = lazyPart(() => import('./ExtensionSettings.tsx').then((module) => module.ExtensionSettings), LOADING);

/** What `status()` says and what was printed have no events: they are read again while somebody looks. */
const REFRESH_MS = 5_000;

/** One extension: its state and what can be done, the failure first, then everything else in tabs. */
export function ExtensionDetail({ id }: { id: string }) {
  const { data, error, refetch, isFetching } = useQuery({
    ...queries.extension(id),
    refetchInterval: (query) => (hasProblemCode(query.state.error, 'extension_not_found') ? false : REFRESH_MS),
  });
  const [tab, setTab] = useQueryState('tab', parseAsString);

  if (error !== null && hasProblemCode(error, 'extension_not_found')) return <Absent id={id} wasHere={data !== undefined} />;
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
        {...(data.description === ''
          ? {}
          : {
              note: <LongText text={data.description} />,
            })}
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

/** Events of its loading make the page look again, so that it fills itself. */
function Absent({ id, wasHere }: { id: string; wasHere: boolean }) {
  return (
    <div className="rounded border bg-panel">
      <h1 className="sr-only">{id}</h1>
      {wasHere ? (
        <EmptyState title={<span className="break-all">{id} is not here any more</span>} actions={<BringBack id={id} />}>
          Its file or folder was removed. Its calls and its revisions stay, and it comes back when the file does.
        </EmptyState>
      ) : (
        <EmptyState
          title={<span className="break-all">{id} is not here</span>}
          actions={
            <>
              <BringBack id={id} />
              <Button asChild>
                <Link href={PAGES.extensions}>Show the extensions</Link>
              </Button>
            </>
          }
        >
          There is no file or folder of this name, or it is just being looked at. This page fills itself as soon as it is loaded.
        </EmptyState>
      )}
    </div>
  );
}

function tabsOf(extension: Detail): readonly Tab[] {
  const { id } = extension;
  return [
    { id: 'overview', label: 'Overview', content: <ExtensionOverview extension={extension} /> },
    { id: 'tools', label: 'Tools', note: extension.tools.length, content: <ExtensionTools extension={extension} /> },
    ...(extension.state === 'excluded' ? [] : [{ id: 'source', label: 'Source', content: <SourceTab extension={extension} /> }]),
    { id: 'revisions', label: 'Revisions', note: extension.revisions.length, content: <RevisionList extension={extension} /> },
    { id: 'failures', label: 'Failures', content: <ExtensionFailures id={id} /> },
    ...(extension.status === null && extension.status_error === null
      ? []
      : [{ id: 'status', label: 'Status', content: <ExtensionStatus extension={extension} /> }]),
    { id: 'logs', label: 'Logs', content: <ExtensionLogs id={id} /> },
    { id: 'settings', label: 'Settings', content: <ExtensionSettings extension={extension} /> },
    ...(extension.warnings.length === 0
      ? []
      : [{ id: 'warnings', label: 'Warnings', note: extension.warnings.length, content: <WarningList warnings={extension.warnings} /> }]),
  ];
}
