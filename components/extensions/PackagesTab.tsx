'use client';

import { useQuery } from '@tanstack/react-query';
import { Download, Plus, RefreshCw, Square } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { ScrollPre } from '#components/ui/ScrollPre.tsx';
import { Badge } from '#components/ui/Badge.tsx';
import { sizeInWords } from '#components/ui/numbers.ts';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { ErrorState, Skeleton } from '#components/ui/QueryState.tsx';
import { Facts, Panel } from '#components/ui/Panel.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { Table, Td, TdNumber, Th, Tr } from '#components/ui/Table.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { installPreviewQuery, needsInstall, useCancelInstall, useDeclarePackage, useInstall } from '#lib/client/dependency-queries.ts';
import type { DependencyInstall, ExtensionDependencies } from '#lib/contract/dependencies.ts';

const TITLES: Partial<Record<ExtensionDependencies['state'], string>> = {
  missing: 'Packages to install',
  installing: 'Installing packages',
  failed: 'Packages not installed',
};

export function UndeclaredPackage({ dependencies }: { dependencies: ExtensionDependencies }) {
  const { extension: id, undeclared } = dependencies;
  const declare = useDeclarePackage(id);
  const mayEdit = useMay('extensions.edit');
  if (undeclared === null || !mayEdit) return null;
  return (
    <Panel title="Package not declared">
      <div className="flex min-w-0 flex-col gap-3">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <p className="min-w-0 text-sm">
            Adds <code className="foreign break-all">{undeclared.line}</code> to{' '}
            <code className="foreign break-all">{undeclared.file}</code>. Check the name first: it may not be the package you mean.
          </p>
          <Button
            size="sm"
            icon={<Plus />}
            className="ml-auto"
            pending={declare.isPending}
            onClick={() => declare.mutate(undeclared.package)}
          >
            Add to {undeclared.file.split('/').at(-1)}
          </Button>
        </div>
        {declare.error === null ? null : <ErrorState title="Not added" detail={messageOf(declare.error)} />}
      </div>
    </Panel>
  );
}

export function InstallPanel({ dependencies }: { dependencies: ExtensionDependencies }) {
  const { extension: id, state, mode, install, requested } = dependencies;
  const start = useInstall(id);
  const cancel = useCancelInstall(id);
  const mayEdit = useMay('extensions.edit');
  const problem = start.error ?? cancel.error;
  const isRunning = state === 'installing';
  const mayInstall = mayEdit && mode !== 'off';
  return (
    <Panel
      title={TITLES[state] ?? 'Packages'}
      note={dependencies.declared_in ?? undefined}
      actions={
        mayInstall ? (
          <Button
            variant={isRunning ? 'secondary' : 'primary'}
            size="sm"
            icon={isRunning ? <Square /> : <Download />}
            pending={start.isPending || cancel.isPending}
            onClick={() => (isRunning ? cancel.mutate(undefined) : start.mutate({ update: false }))}
          >
            {isRunning ? 'Cancel' : state === 'failed' ? 'Try again' : 'Install'}
          </Button>
        ) : null
      }
    >
      <div className="flex min-w-0 flex-col gap-3">
        {mode === 'off' ? (
          <p className="max-w-prose text-sm text-muted">
            This server does not install packages. Set EXTENSION_DEPENDENCIES to “ask” or “auto” and restart it.
          </p>
        ) : null}
        {requested === null ? null : (
          <p className="text-sm">
            Requested by <span className="foreign">{requested.actor ?? 'an agent'}</span>{' '}
            <span className="text-muted">
              <RelativeTime time={requested.at} />
            </span>
          </p>
        )}
        {isRunning ? null : <Requirements dependencies={dependencies} />}
        {mode !== 'off' && state === 'missing' ? <InstallPreview dependencies={dependencies} /> : null}
        {install === null ? null : <InstallOutput install={install} isExplained={state === 'failed'} />}
        {problem === null ? null : (
          <ErrorState title={start.error === null ? 'Cancel failed' : 'Install failed'} detail={messageOf(problem)} />
        )}
      </div>
    </Panel>
  );
}

const MAX_OPEN = 10;

/** Versions and sizes, or the locked versions if the package index is unreachable. */
function InstallPreview({ dependencies: { extension: id, locked } }: { dependencies: ExtensionDependencies }) {
  const { data, isPending } = useQuery(installPreviewQuery(id));
  if (isPending) return <Skeleton lines={2} />;
  const failure = data?.failure ?? null;
  const packages: readonly ListedPackage[] = data?.packages ?? locked ?? [];
  const bytes = packages.reduce((sum, { download_bytes: own }) => sum + (own ?? 0), 0);
  const count = packages.length === 1 ? '1 package' : `${packages.length} packages`;
  const atLeast = packages.some(({ download_bytes: own }) => own === null) ? 'at least ' : '';
  return (
    <>
      {failure === null ? null : <InstallFailure failure={failure} />}
      {packages.length === 0 ? null : (
        <details className="text-sm" open={packages.length <= MAX_OPEN}>
          <summary className="tabular cursor-pointer rounded-sm">
            {count}
            {bytes === 0 ? '' : `, ${atLeast}${sizeInWords(bytes)} to download`}
          </summary>
          <PackageTable packages={packages} label="Packages to install" />
        </details>
      )}
    </>
  );
}

function InstallFailure({ failure }: { failure: { readonly message: string; readonly hint: string } }) {
  return (
    <p className="foreign text-sm">
      <span className="text-failed">{failure.message}</span> <CodeText text={failure.hint} />
    </p>
  );
}

function Requirements({ dependencies }: { dependencies: ExtensionDependencies }) {
  const { requirements, requires_python: python } = dependencies;
  return (
    <ul aria-label="Requirements" className="flex flex-wrap gap-2">
      {python === null ? null : (
        <li>
          <Badge>
            <code className="foreign">Python {python}</code>
          </Badge>
        </li>
      )}
      {requirements.map(({ requirement }) => (
        <li key={requirement} className="max-w-full">
          <Badge>
            <code className="foreign break-all">{requirement}</code>
          </Badge>
        </li>
      ))}
    </ul>
  );
}

const ENDS: Readonly<Record<DependencyInstall['state'], string>> = {
  waiting: 'Waiting for other installs',
  running: 'Running',
  succeeded: 'Installed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** @param isExplained the failure shown above already has the reason and the last lines */
function InstallOutput({ install, isExplained = false }: { install: DependencyInstall; isExplained?: boolean }) {
  const { state, output, failure, automatic, actor } = install;
  const scroller = useRef<HTMLPreElement>(null);
  const newest = output.at(-1);
  // Keeps the end of growing output in view.
  useEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [newest, output.length]);
  const text = (
    <ScrollPre
      ref={scroller}
      label="Install output"
      className="foreign max-h-60 overflow-y-auto rounded border bg-subtle p-3 text-xs leading-5 whitespace-pre-wrap"
    >
      {install.output_truncated ? '…\n' : ''}
      {output.join('\n')}
    </ScrollPre>
  );
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <p role="status" className="text-sm">
        <span className="font-medium">{ENDS[state]}</span>{' '}
        <span className="text-muted">
          <RelativeTime time={install.ended_at ?? install.started_at} />
          {automatic ? ', started automatically' : actor === null ? '' : `, started by ${actor}`}
        </span>
      </p>
      {failure === null || isExplained ? null : <InstallFailure failure={failure} />}
      {output.length === 0 ? null : isExplained ? (
        <details className="text-sm">
          <summary className="cursor-pointer rounded-sm text-muted">Complete output</summary>
          {text}
        </details>
      ) : (
        text
      )}
    </div>
  );
}

export function PackagesTab({ dependencies }: { dependencies: ExtensionDependencies }) {
  const { extension: id, state, environment, install, mode } = dependencies;
  const update = useInstall(id);
  const mayEdit = useMay('extensions.edit');
  return (
    <div className="flex min-w-0 flex-col gap-4 p-4">
      <h2 className="sr-only">Packages</h2>
      <Facts
        items={[
          { name: 'Declared in', value: <code className="break-all">{dependencies.declared_in}</code> },
          { name: 'Requirements', value: <Requirements dependencies={dependencies} /> },
          state === 'own' && {
            name: 'Installed',
            value: `${dependencies.ecosystem === 'node' ? 'node_modules in the extension’s folder or above' : '.venv in the extension’s folder'}`,
          },
          ...(environment === null
            ? []
            : [
                { name: 'Installed', value: <RelativeTime time={environment.made_at} /> },
                { name: 'Installer', value: environment.installer },
                { name: 'Size', value: sizeInWords(environment.size_bytes) },
              ]),
        ]}
      />
      {environment === null ? (
        state === 'own' ? null : (
          <p className="text-sm text-muted">Not installed.</p>
        )
      ) : (
        <PackageTable packages={environment.packages} label="Installed packages" />
      )}
      {environment === null || !mayEdit || mode === 'off' ? null : (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Button
            size="sm"
            icon={<RefreshCw />}
            pending={update.isPending || install?.state === 'running' || install?.state === 'waiting'}
            onClick={() => update.mutate({ update: true })}
          >
            Update packages
          </Button>
          <span className="text-sm text-muted">Resolves versions again. Changed versions are a new revision.</span>
        </div>
      )}
      {update.error === null ? null : <ErrorState title="Update failed" detail={messageOf(update.error)} />}
      {install === null || needsInstall(dependencies) ? null : <InstallOutput install={install} />}
    </div>
  );
}

interface ListedPackage {
  readonly name: string;
  readonly version: string;
  readonly download_bytes?: number | null;
}

function PackageTable({ packages, label }: { packages: readonly ListedPackage[]; label: string }) {
  const hasSizes = packages.some(({ download_bytes: bytes }) => typeof bytes === 'number');
  return (
    <Table label={label}>
      <thead>
        <tr>
          <Th>Package</Th>
          <Th>Version</Th>
          {hasSizes ? <Th className="text-right">Download</Th> : null}
        </tr>
      </thead>
      <tbody>
        {packages.map(({ name, version, download_bytes: bytes }) => (
          <Tr key={`${name} ${version}`}>
            <Td className="break-all">{name}</Td>
            <Td className="tabular">{version}</Td>
            {hasSizes ? <TdNumber>{typeof bytes === 'number' ? sizeInWords(bytes) : 'Unknown'}</TdNumber> : null}
          </Tr>
        ))}
      </tbody>
    </Table>
  );
}
