'use client';

import { QueryState } from '#components/ui/QueryState.tsx';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, ShieldCheck, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '#components/ui/Badge.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { DiffView } from '#components/ui/DiffView.tsx';
import { Select } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Section } from '#components/ui/Panel.tsx';
import { queries } from '#lib/client/queries.ts';
import type { CallIssue } from '#lib/contract/call.ts';
import type { ExtensionDetail } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { RevisionComparison as Comparison, ToolChange } from '#lib/contract/revision-comparison.ts';

interface RevisionComparisonProps {
  extension: ExtensionDetail;
  from: number;
  to: number;
  onChange: (from: number, to: number) => void;
  onClose: () => void;
}

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
      ) : (
        <QueryState query={{ error, refetch, isFetching }} what="the comparison" lines={6} />
      )}
    </section>
  );
}

function Compared({ comparison }: { comparison: Comparison }) {
  const { files, tools, from, to } = comparison;
  return (
    <>
      <Section title="Tool changes">
        {tools === null ? (
          <p className="text-sm text-muted">One of the revisions never loaded, so its tools are unknown.</p>
        ) : tools.length === 0 ? (
          <p className="text-sm text-muted">No tool changes</p>
        ) : (
          <ul className="divide-y rounded border text-sm">
            {tools.map((tool) => (
              <ToolLine key={tool.tool} tool={tool} />
            ))}
          </ul>
        )}
        <RefusedCalls comparison={comparison} />
      </Section>
      <Section title="Source changes" {...(files === null ? {} : { note: `${files.length} ${files.length === 1 ? 'file' : 'files'}` })}>
        {files === null ? (
          <p className="text-sm text-muted">The sources of one revision are no longer stored.</p>
        ) : files.length === 0 ? (
          <p className="text-sm text-muted">No source changes</p>
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

const WORDS = { added: 'New tool', removed: 'Tool removed', changed: null } as const;

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

function RefusedCalls({ comparison }: { comparison: Comparison }) {
  const { to, refused, checked_calls: calls, refused_saved_calls: refusedSaved, checked_saved_calls: saved } = comparison;
  return (
    <>
      <Tried what="saved call" checked={saved} revision={to} refused={refusedSaved.length}>
        {refusedSaved.map((one) => (
          <Line key={one.saved_call_id} href={PAGES.savedCall(one.tool, one.saved_call_id)} name={one.name} issues={one.issues}>
            <span className="text-muted">of {one.tool}</span>
            {one.required ? <Badge icon={<ShieldCheck aria-hidden />}>Required</Badge> : null}
            {one.tool_gone ? <span className="text-muted">Tool removed.</span> : null}
          </Line>
        ))}
      </Tried>
      <Tried what="recent call" checked={calls} revision={to} refused={refused.length}>
        {refused.map((call) => (
          <Line key={call.call_id} href={PAGES.call(call.call_id)} name={call.tool} issues={call.issues} />
        ))}
      </Tried>
    </>
  );
}

function Tried({
  what,
  checked,
  revision,
  refused,
  children,
}: {
  what: string;
  /** Null if the revision cannot run. */
  checked: number | null;
  revision: number;
  refused: number;
  children: ReactNode;
}) {
  if (checked === 0) return null;
  const calls = checked === null ? `${what}s` : `${checked} ${what}${checked === 1 ? '' : 's'}`;
  const sentence =
    checked === null
      ? `Revision ${revision} cannot run, so ${calls} could not be tried against it${refused === 0 ? '.' : ', but it would refuse:'}`
      : refused === 0
        ? `Revision ${revision} would accept the arguments of ${calls} of these tools.`
        : `Of ${calls}, revision ${revision} would refuse ${refused}:`;
  if (refused === 0) return <p className="text-sm text-muted">{sentence}</p>;
  return (
    <div className="flex min-w-0 flex-col gap-1 text-sm">
      <p>{sentence}</p>
      <ul aria-label={`Refused ${what}s`} className="flex flex-col gap-1">
        {children}
      </ul>
    </div>
  );
}

function Line({ href, name, issues, children }: { href: string; name: string; issues: readonly CallIssue[]; children?: ReactNode }) {
  return (
    <li className="flex min-w-0 flex-wrap items-baseline gap-x-2">
      <ListLink href={href} className="rounded-sm break-all underline underline-offset-2">
        {name}
      </ListLink>
      {children}
      {issues.length === 0 ? null : (
        <span className="foreign min-w-0 text-muted">{issues.map((issue) => `${issue.path} ${issue.message}`.trim()).join('; ')}</span>
      )}
    </li>
  );
}
