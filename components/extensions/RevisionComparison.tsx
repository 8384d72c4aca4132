'use client';

import { useQuery } from '@tanstack/react-query';
import { CircleCheck, TriangleAlert, X } from 'lucide-react';
import { Badge } from '#components/ui/Badge.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { DiffView } from '#components/ui/DiffView.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Select } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { Section } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import type { ExtensionDetail } from '#lib/contract/extension.ts';
import type { RevisionComparison as Comparison, ToolChange } from '#lib/contract/revision-comparison.ts';
import { RefusedCalls } from './RefusedCalls.tsx';

export interface RevisionComparisonProps {
  extension: ExtensionDetail;
  from: number;
  to: number;
  onChange: (from: number, to: number) => void;
  onClose: () => void;
}

/** What two revisions do differently: for those who call the tools, and in the sources. */
export function RevisionComparison({ extension, from, to, onChange, onClose }: RevisionComparisonProps) {
  const { data, error, refetch, isFetching } = useQuery(queries.revisionComparison(extension.id, from, to));
  const choice = (label: string, value: number, change: (revision: number) => void) => (
    <Select aria-label={label} className="w-36" value={value} onChange={(event) => change(Number(event.target.value))}>
      {extension.revisions.map(({ revision }) => (
        <option key={revision} value={revision}>
          Revision {revision}
        </option>
      ))}
    </Select>
  );
  return (
    <section aria-label="Comparison of two revisions" className="flex min-w-0 flex-col gap-4 border-b p-4">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-sm text-muted">From</span>
        {choice('From revision', from, (revision) => onChange(revision, to))}
        <span className="text-sm text-muted">to</span>
        {choice('To revision', to, (revision) => onChange(from, revision))}
        <IconButton size="sm" label="Close the comparison" onClick={onClose} className="ml-auto">
          <X aria-hidden />
        </IconButton>
      </div>
      {from === to ? (
        <p className="text-sm text-muted">Choose two different revisions.</p>
      ) : data !== undefined ? (
        <Compared comparison={data} />
      ) : error === null ? (
        <Skeleton lines={6} label="Comparing…" />
      ) : (
        <ErrorState
          title="The revisions could not be compared"
          detail={messageOf(error)}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
    </section>
  );
}

function Compared({ comparison }: { comparison: Comparison }) {
  const { files, tools, from, to } = comparison;
  return (
    <>
      <Section title="For those who call its tools">
        {tools === null ? (
          <p className="text-sm text-muted">One of the two never loaded, so what it offered is not known.</p>
        ) : tools.length === 0 ? (
          <p className="text-sm text-muted">Nothing changed: the same tools with the same parameters.</p>
        ) : (
          <ul className="divide-y rounded border text-sm">
            {tools.map((tool) => (
              <ToolLine key={tool.tool} tool={tool} />
            ))}
          </ul>
        )}
        <RefusedCalls comparison={comparison} />
      </Section>
      <Section title="In the sources" {...(files === null ? {} : { note: `${files.length} ${files.length === 1 ? 'file' : 'files'}` })}>
        {files === null ? (
          <p className="text-sm text-muted">The sources of one of the two are no longer kept.</p>
        ) : files.length === 0 ? (
          <p className="text-sm text-muted">All files are the same.</p>
        ) : (
          files.map((file) => <FileLine key={file.path} file={file} from={from} to={to} />)
        )}
      </Section>
    </>
  );
}

function FileLine({ file, from, to }: { file: NonNullable<Comparison['files']>[number]; from: number; to: number }) {
  const { path, before, after, unread } = file;
  const failed = before === null ? from : to;
  const note = unread
    ? ` was not read in revision ${failed}, which failed before`
    : before === null
      ? ' is new'
      : after === null
        ? ' is gone'
        : '';
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="text-sm">
        <code className="break-all">{path}</code>
        <span className="text-muted">{note}</span>
      </p>
      {unread ? null : (
        <DiffView
          before={before ?? ''}
          after={after ?? ''}
          beforeName={`revision ${from}`}
          afterName={`revision ${to}`}
          label={`Changes in ${path}`}
          same="Both are empty."
        />
      )}
    </div>
  );
}

const WORDS = { added: 'New tool', removed: 'The tool is gone', changed: null } as const;

function ToolLine({ tool }: { tool: ToolChange }) {
  const word = WORDS[tool.change];
  return (
    <li className="flex flex-col gap-1 px-3 py-2">
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium break-all">{tool.tool}</span>
        <Badge tone={tool.breaking ? 'failed' : 'ok'} icon={tool.breaking ? <TriangleAlert aria-hidden /> : <CircleCheck aria-hidden />}>
          {tool.breaking ? 'Breaking' : 'Compatible'}
        </Badge>
        {word === null ? null : <span className="text-muted">{word}</span>}
      </span>
      {tool.changes.length === 0 ? null : (
        <ul className="flex flex-col gap-0.5">
          {tool.changes.map((change) => (
            <li key={`${change.path} ${change.message}`} className="flex min-w-0 items-baseline gap-2">
              <span className={change.breaking ? 'text-failed' : 'text-muted'}>{change.breaking ? 'breaking' : 'compatible'}</span>
              <span className="foreign min-w-0 break-words">
                {change.path === '' ? null : <code className="text-xs">{change.path}</code>} <CodeText text={change.message} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
