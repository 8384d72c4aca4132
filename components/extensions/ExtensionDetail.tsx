'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Ban, PinOff, Play, Power, RotateCw, TriangleAlert } from 'lucide-react';
import { useParams } from 'next/navigation';
import { parseAsString, useQueryState } from 'nuqs';
import { useState } from 'react';
import { decodedPart } from '#components/ui/decoded-part.ts';
import { EmptyState, ErrorState, QueryState, Skeleton } from '#components/ui/QueryState.tsx';
import { Badge, StateBadge } from '#components/ui/Badge.tsx';
import { Button, LinkButton } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { CodeInText, CodeText, LongText } from '#components/ui/CodeText.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { ServerIcon } from '#components/ui/icons.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Facts, PageHead } from '#components/ui/Panel.tsx';
import { TransientButton } from '#components/ui/TransientButton.tsx';
import { Duration } from '#components/ui/RelativeTime.tsx';
import { type Tab, Tabs } from '#components/ui/Tabs.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { sortByName } from '#components/ui/name-order.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { dependenciesQuery, needsInstall } from '#lib/client/dependency-queries.ts';
import { type ExtensionAction, useExtensionAction } from '#lib/client/mutations.ts';
import { queries } from '#lib/client/queries.ts';
import { useReload } from '#lib/client/reload-mutations.ts';
import { serverFeaturesQuery } from '#lib/client/server-queries.ts';
import type { ExtensionDependencies } from '#lib/contract/dependencies.ts';
import type { ExtensionDetail as Detail } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { ServerFeatures } from '#lib/contract/server-features.ts';
import { areDifferent, DifferentInstances, ExtensionOverview, type RenderedInstructions } from './ExtensionOverview.tsx';
import { StateSentence } from './ExtensionState.tsx';

const LOADING = <Skeleton lines={6} />;
const ConflictPanel = lazyPart(() => import('./ConflictPanel.tsx').then((module) => module.ConflictPanel), LOADING);
const ExtensionFailures = lazyPart(() => import('./ExtensionFailures.tsx').then((module) => module.ExtensionFailures), LOADING);
const FailurePanel = lazyPart(() => import('./ExtensionFailures.tsx').then((module) => module.FailurePanel), LOADING);
const ExtensionLogs = lazyPart(() => import('./ExtensionLogs.tsx').then((module) => module.ExtensionLogs), LOADING);
const InstallPanel = lazyPart(() => import('./PackagesTab.tsx').then((module) => module.InstallPanel), LOADING);
const PackagesTab = lazyPart(() => import('./PackagesTab.tsx').then((module) => module.PackagesTab), LOADING);
const UndeclaredPackage = lazyPart(() => import('./PackagesTab.tsx').then((module) => module.UndeclaredPackage));
const RevisionList = lazyPart(() => import('./RevisionList.tsx').then((module) => module.RevisionList), LOADING);
const SourceTab = lazyPart(() => import('./SourceTab.tsx').then((module) => module.SourceTab), LOADING);
const ServerPrompts = lazyPart(() => import('./ServerFeatures.tsx').then((module) => module.ServerPrompts), LOADING);
const ServerResources = lazyPart(() => import('./ServerFeatures.tsx').then((module) => module.ServerResources), LOADING);
const ServerSignIn = lazyPart(() => import('./ServerSignIn.tsx').then((module) => module.ServerSignIn));
const ServerActions = lazyPart(() => import('./ServerActions.tsx').then((module) => module.ServerActions));
const ExtensionSettings = lazyPart(() => import('./ExtensionSettings.tsx').then((module) => module.ExtensionSettings), LOADING);

/** `status()` and output have no events, so they are polled. */
const REFRESH_MS = 5_000;

interface ExtensionDetailProps {
  readonly id: string;
  readonly instructions?: RenderedInstructions;
}

export function ExtensionDetail({ id, instructions }: ExtensionDetailProps) {
  const { data, error, refetch, isFetching } = useQuery({
    ...queries.extension(id),
    refetchInterval: (query) => (hasProblemCode(query.state.error, 'extension_not_found') ? false : REFRESH_MS),
  });
  const { data: features } = useQuery({ ...serverFeaturesQuery(id), enabled: data?.runtime === 'mcp' && data.state !== 'loading' });
  const hasEntry = data !== undefined && data.disabled_by !== 'file' && data.failure?.stage !== 'scan';
  const { data: dependencies } = useQuery({ ...dependenciesQuery(id), enabled: hasEntry });
  const [tab, setTab] = useQueryState('tab', parseAsString);

  if (error !== null && hasProblemCode(error, 'extension_not_found')) return <Absent id={id} wasHere={data !== undefined} />;
  if (data === undefined) return <QueryState query={{ error, refetch, isFetching }} what="the extension" lines={10} />;

  const tabs = tabsOf(data, features, dependencies, instructions ?? null);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <ExtensionHead extension={data} />
      {data.runtime === 'mcp' ? <ServerSignIn id={data.id} /> : null}
      {data.conflicts.map((conflict) => (
        <ConflictPanel key={conflict.id} conflict={conflict} />
      ))}
      {/* The sign-in above says the same, with its button. */}
      {data.failure === null || data.failure.code === 'server_sign_in_needed' ? null : (
        <FailurePanel failure={data.failure} title={failureTitle(data)} />
      )}
      {areDifferent(data.instances) ? <DifferentInstances instances={data.instances} /> : null}
      {dependencies === undefined || dependencies.undeclared === null ? null : <UndeclaredPackage dependencies={dependencies} />}
      {dependencies !== undefined && needsInstall(dependencies) ? <InstallPanel dependencies={dependencies} /> : null}
      <div className="rounded border bg-panel">
        <Tabs
          label="Extension details"
          tabs={tabs}
          value={tab ?? undefined}
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
  return serving === null ? `${which}; not serving` : `${which}; revision ${serving} keeps serving`;
}

function Absent({ id, wasHere }: { id: string; wasHere: boolean }) {
  return (
    <div className="rounded border bg-panel">
      {wasHere ? (
        <EmptyState level={1} title={<span className="break-all">{id} was removed</span>} actions={<RestoreExtension id={id} />}>
          Its file or folder was removed. Its calls and revisions are kept; restore the file to bring it back.
        </EmptyState>
      ) : (
        <EmptyState
          level={1}
          title="Extension not found"
          actions={
            <>
              <RestoreExtension id={id} />
              <LinkButton href={PAGES.extensions}>Show extensions</LinkButton>
            </>
          }
        >
          No file or folder is named <span className="font-medium break-all text-fg">{id}</span>, or it is still loading. This page updates
          automatically.
        </EmptyState>
      )}
    </div>
  );
}

function tabsOf(
  extension: Detail,
  features: ServerFeatures | undefined,
  dependencies: ExtensionDependencies | undefined,
  instructions: RenderedInstructions | null,
): readonly Tab[] {
  const { id } = extension;
  const resources = features === undefined ? undefined : features.resources.length + features.resource_templates.length;
  return [
    { id: 'overview', label: 'Overview', content: <ExtensionOverview extension={extension} instructions={instructions} /> },
    { id: 'tools', label: 'Tools', note: extension.tools.length, content: <ExtensionTools extension={extension} /> },
    ...(extension.runtime === 'mcp'
      ? [
          { id: 'resources', label: 'Resources', ...noteOf(resources), content: <ServerResources id={id} /> },
          { id: 'prompts', label: 'Prompts', ...noteOf(features?.prompts.length), content: <ServerPrompts id={id} /> },
        ]
      : []),
    ...(extension.state === 'excluded' ? [] : [{ id: 'source', label: 'Source', content: <SourceTab extension={extension} /> }]),
    { id: 'revisions', label: 'Revisions', note: extension.revisions.length, content: <RevisionList extension={extension} /> },
    ...(dependencies === undefined || dependencies.state === 'none' || dependencies.state === 'invalid'
      ? []
      : [
          {
            id: 'packages',
            label: 'Packages',
            ...noteOf(dependencies.environment?.packages.length),
            content: <PackagesTab dependencies={dependencies} />,
          },
        ]),
    { id: 'failures', label: 'Failures', content: <ExtensionFailures id={id} /> },
    ...(extension.has_status ? [{ id: 'status', label: 'Status', content: <ExtensionStatus extension={extension} /> }] : []),
    { id: 'logs', label: 'Logs', content: <ExtensionLogs id={id} /> },
    { id: 'settings', label: 'Settings', content: <ExtensionSettings extension={extension} /> },
    ...(extension.warnings.length === 0
      ? []
      : [{ id: 'warnings', label: 'Warnings', note: extension.warnings.length, content: <WarningList warnings={extension.warnings} /> }]),
  ];
}

function noteOf(count: number | undefined): { readonly note?: number } {
  return count === undefined ? {} : { note: count };
}

export function AbsentExtension() {
  const { id } = useParams<{ id: string }>();
  return <ExtensionDetail id={decodedPart(id)} />;
}

const FAILED_ACTIONS: Record<ExtensionAction['action'], string> = {
  restart: 'Restart failed',
  disable: 'Disable failed',
  enable: 'Enable failed',
  pin: 'Pin failed',
  unpin: 'Unpin failed',
  rollback: 'Rollback failed',
  'keep-alive': 'Change failed',
};

function ExtensionHead({ extension }: { extension: Detail }) {
  const reload = useReload();
  const action = useExtensionAction(extension.id);
  const [askingToDisable, setAskingToDisable] = useState(false);
  const isOff = extension.state === 'disabled';
  const mayReload = useMay('extensions.reload');
  const mayRestart = useMay('extensions.restart');
  const mayPin = useMay('extensions.pin');
  const maySwitch = useMay('extensions.switch');
  const mayEdit = useMay('extensions.edit');
  const serverActions =
    mayEdit && extension.kind === 'mcp' && extension.path.endsWith('mcp.json') && extension.id !== 'mcp.json' ? (
      <ServerActions name={extension.id} file={extension.path} />
    ) : null;

  function running(name: ExtensionAction['action']): boolean {
    return action.isPending && action.variables.action === name;
  }

  const all = (
    <div role="group" aria-label="Actions" tabIndex={-1} className="flex flex-wrap gap-2 rounded max-sm:[&>button]:px-2">
      {isOff ? null : (
        <>
          {mayReload ? (
            <Button icon={<RotateCw />} pending={reload.isPending} onClick={() => reload.mutate([extension.id])}>
              Reload extension
            </Button>
          ) : null}
          {mayRestart ? (
            <Button icon={<Power />} pending={running('restart')} onClick={() => action.mutate({ action: 'restart' })}>
              Restart
            </Button>
          ) : null}
          {extension.pinned_revision === null || !mayPin ? null : (
            <TransientButton
              focusFallback="[role=group]"
              icon={<PinOff />}
              pending={running('unpin')}
              onClick={() => action.mutate({ action: 'unpin' })}
            >
              Unpin revision {extension.pinned_revision}
            </TransientButton>
          )}
        </>
      )}
      {/* One button for both actions keeps the focus when it changes. */}
      {maySwitch ? (
        <Button
          variant={isOff ? 'primary' : 'secondary'}
          icon={isOff ? <Play /> : <Ban />}
          pending={running('enable') || running('disable')}
          onClick={() => (isOff ? action.mutate({ action: 'enable' }) : setAskingToDisable(true))}
        >
          {isOff ? 'Enable' : 'Disable'}
        </Button>
      ) : null}
      {serverActions}
    </div>
  );
  const isExcluded = extension.state === 'excluded';
  const may = mayReload || mayRestart || mayPin || maySwitch;
  const actions = isExcluded ? null : extension.disabled_by === 'file' ? serverActions : may ? all : null;
  const problem = action.error ?? reload.error;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <PageHead
        title={
          <span className="flex min-w-0 items-center gap-2 break-all">
            <ServerIcon icons={extension.icons} className="size-6" />
            {extension.id}
          </span>
        }
        badge={
          <span className="flex flex-wrap items-center gap-2">
            <StateBadge state={extension.state} />
            <StateSentence extension={extension} />
          </span>
        }
        note={extension.description === '' ? undefined : <LongText text={extension.description} />}
        actions={actions ?? undefined}
      />
      {isExcluded ? (
        <p className="max-w-prose text-muted">
          Excluded by EXTENSION_EXCLUDED_EXTENSIONS (the name “example” always is). Remove it from that setting and restart the server.
        </p>
      ) : null}
      {problem === null ? null : (
        <ErrorState title={action.error === null ? 'Reload failed' : FAILED_ACTIONS[action.variables.action]} detail={messageOf(problem)} />
      )}
      <AlertDialog
        open={askingToDisable}
        onClose={() => setAskingToDisable(false)}
        title={`Disable ${extension.id}?`}
        description={
          extension.tools.length === 0
            ? 'It stays disabled, also after a server restart, until someone enables it.'
            : `${extension.tools.length === 1 ? 'Its tool is' : `Its ${extension.tools.length} tools are`} unavailable, also after a server restart, until someone enables it. Running calls finish.`
        }
        confirm="Disable"
        danger
        onConfirm={() => action.mutateAsync({ action: 'disable' })}
      />
    </div>
  );
}

function ExtensionStatus({ extension }: { extension: Detail }) {
  const { status, status_error: error, status_duration_ms: duration } = extension;
  if (status === null && error === null) {
    return (
      <EmptyState title="Not running">
        status() is read from a running process. {extension.state === 'ready' ? 'The next call starts one.' : null}
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-3 p-4">
      {error === null ? null : <ErrorState title="status() failed" detail={error} />}
      {status === null ? null : Object.keys(status).length === 0 ? (
        <p className="text-muted">status() returned an empty object.</p>
      ) : (
        <Facts
          items={Object.entries(status).map(([name, value]) => ({
            name,
            value: <Value name={name} value={value} />,
          }))}
        />
      )}
      <p className="text-xs text-muted">
        Refreshed every 5 seconds
        {duration === null ? null : (
          <>
            ; last duration <Duration ms={duration} />
          </>
        )}
        .
      </p>
    </div>
  );
}

function Value({ name, value }: { name: string; value: unknown }) {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint')
    return <code>{String(value)}</code>;
  if (typeof value === 'string') return <span className="foreign">{value}</span>;
  return <CodeBlock code={JSON.stringify(value, null, 2)} language="json" label={name} copyLabel={null} />;
}

function ExtensionTools({ extension }: { extension: Detail }) {
  const { data } = useQuery(queries.tools());
  if (extension.tools.length === 0) {
    return (
      <EmptyState title={extension.kind === 'channel' ? 'A channel has no tools' : 'No tools'}>
        {extension.kind === 'channel'
          ? 'It receives and sends messages.'
          : extension.state === 'failed'
            ? 'Fix the failure above to load its tools.'
            : 'Its tools appear once it is loaded.'}
      </EmptyState>
    );
  }
  return (
    <ul className="divide-y">
      {sortByName(extension.tools, (name) => name).map((name) => {
        const tool = data?.tools.find((each) => each.name === name);
        return (
          <li key={name} className="relative flex flex-col gap-1 px-4 py-2 hover:bg-hover">
            <span className="flex flex-wrap items-center gap-2">
              <ListLink
                href={PAGES.tool(name)}
                className="focus-inset min-w-0 rounded-sm font-medium [overflow-wrap:anywhere] row-link hover:underline"
              >
                {name}
              </ListLink>
              {tool === undefined || tool.label === '' ? null : <Badge>{tool.label}</Badge>}
              {tool === undefined || tool.available ? null : <StateBadge state="unavailable" />}
            </span>
            {tool === undefined ? null : (
              <span className="line-clamp-2 text-sm break-words text-muted">
                <CodeInText text={tool.available ? tool.description : (tool.unavailable_reason ?? tool.description)} />
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function WarningList({ warnings }: { warnings: readonly string[] }) {
  return (
    <ul className="divide-y">
      {[...new Set(warnings)].map((warning) => (
        <li key={warning} className="flex gap-2 px-4 py-2">
          <TriangleAlert className="h-lh w-4 shrink-0 text-degraded" />
          <span className="foreign min-w-0">
            <CodeText text={warning} />
          </span>
        </li>
      ))}
    </ul>
  );
}

const UndoDialog = lazyPart(async () => (await import('./UndoDialog.tsx')).UndoDialog);

const VERSIONS_LOOKED_AT = 5;

function RestoreExtension({ id }: { id: string }) {
  const mayEdit = useMay('extensions.edit');
  const { data } = useInfiniteQuery({ ...queries.snapshots(VERSIONS_LOOKED_AT, id), enabled: mayEdit });
  const [isOpen, setOpen] = useState(false);
  const had = data?.pages.flatMap(({ snapshots }) => snapshots).find(({ changes }) => !changes.removed.includes(id))?.version;
  const snapshot = useQuery({ ...queries.snapshot(had ?? 0), enabled: had !== undefined }).data;
  const last = snapshot?.extensions.find((member) => member.id === id);
  const revision = last?.serving_revision ?? last?.revision ?? null;
  if (!mayEdit || revision === null) return null;
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        Restore…
      </Button>
      {isOpen ? <UndoDialog id={id} revision={revision} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
