'use client';

import {
  CircleCheck,
  CirclePlay,
  FileClock,
  FileCode,
  GitCompareArrows,
  Package,
  Pin,
  ShieldCheck,
  TriangleAlert,
  Wrench,
  X,
} from 'lucide-react';
import { parseAsInteger, useQueryStates } from 'nuqs';
import { type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Badge, StateBadge } from '#components/ui/Badge.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { EmptyState, QueryState } from '#components/ui/QueryState.tsx';
import { TransientButton } from '#components/ui/TransientButton.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { cx } from '#components/ui/cx.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { DiffView } from '#components/ui/DiffView.tsx';
import { Select } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Section } from '#components/ui/Panel.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { useExtensionAction } from '#lib/client/mutations.ts';
import type { ExtensionDetail, NameChanges, Revision } from '#lib/contract/extension.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { queries } from '#lib/client/queries.ts';
import type { CallIssue } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { RevisionComparison as Comparison, ToolChange } from '#lib/contract/revision-comparison.ts';

const UndoDialog = lazyPart(async () => (await import('./UndoDialog.tsx')).UndoDialog);

const TRIGGERS: Record<string, string> = {
  start: 'at server start',
  watch: 'by a saved file',
  reload: 'by a reload',
  edit: 'by an edit here',
};

const TRIGGER_WORDS: Record<string, string> = { reload: 'by a reload of', edit: 'by an edit of' };

export function triggerInWords({ trigger, actor }: Pick<Revision, 'trigger' | 'actor'>): string {
  const words = actor === null ? undefined : TRIGGER_WORDS[trigger];
  return words === undefined ? (TRIGGERS[trigger] ?? trigger) : `${words} ${actor}`;
}

/** Aligns the icon of a first borderless button with the text on narrow screens. */
const UNDER_NUMBER = 'max-sm:first:-ml-2';

interface Question {
  readonly action: 'rollback' | 'pin';
  readonly revision: number;
}

export function RevisionList({ extension }: { extension: ExtensionDetail }) {
  const [question, setQuestion] = useState<Question | null>(null);
  const [undoing, setUndoing] = useState<number | null>(null);
  const action = useExtensionAction(extension.id);
  const mayEdit = useMay('extensions.edit');
  const [{ from, to }, setPair] = useQueryStates({ from: parseAsInteger, to: parseAsInteger }, { history: 'replace' });
  if (extension.revisions.length === 0) {
    return <EmptyState title="No revisions yet">Every distinct version of the source gets a revision number.</EmptyState>;
  }
  return (
    <>
      {from === null || to === null ? null : (
        <RevisionComparison
          extension={extension}
          from={from}
          to={to}
          onChange={(nextFrom, nextTo) => void setPair({ from: nextFrom, to: nextTo })}
          onClose={() => void setPair(null)}
        />
      )}
      <ol className="divide-y">
        {extension.revisions.map((revision, index) => (
          <RevisionRow
            key={revision.revision}
            extension={extension}
            revision={revision}
            earlier={extension.revisions[index + 1]?.revision ?? null}
            onCompare={(earlier) => void setPair({ from: earlier, to: revision.revision })}
            onAsk={(what) => setQuestion({ action: what, revision: revision.revision })}
            onUndo={mayEdit && index < LIMITS.revisionsKept ? () => setUndoing(revision.revision) : null}
          />
        ))}
      </ol>
      {undoing === null ? null : <UndoDialog id={extension.id} revision={undoing} onClose={() => setUndoing(null)} />}
      <AlertDialog
        open={question !== null}
        onClose={() => setQuestion(null)}
        title={
          question?.action === 'pin'
            ? `Pin ${extension.id} to revision ${question.revision}?`
            : `Roll ${extension.id} back to revision ${question?.revision ?? ''}?`
        }
        description={
          question?.action === 'pin'
            ? `Revision ${question.revision} answers calls until someone unpins it. Saved files are checked but not served.`
            : `Revision ${question?.revision ?? ''} answers calls immediately. The next revision that loads replaces it; pin it to keep it. Your files do not change.`
        }
        confirm={question?.action === 'pin' ? 'Pin' : 'Roll back'}
        onConfirm={() => (question === null ? undefined : action.mutateAsync(question))}
      />
    </>
  );
}

function RevisionRow({
  extension,
  revision,
  earlier,
  onCompare,
  onAsk,
  onUndo,
}: {
  extension: ExtensionDetail;
  revision: Revision;
  earlier: number | null;
  onCompare: (earlier: number) => void;
  onAsk: (what: Question['action']) => void;
  /** Null if its sources are not stored or cannot be changed. */
  onUndo: (() => void) | null;
}) {
  const mayPin = useMay('extensions.pin');
  const serving = extension.serving_revision === revision.revision;
  const pinned = extension.pinned_revision === revision.revision;
  const usable =
    mayPin && revision.runnable && revision.outcome === 'loaded' && extension.state !== 'disabled' && extension.state !== 'excluded';
  return (
    <li tabIndex={-1} className="focus-inset flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2">
      <span className="tabular w-8 shrink-0 font-semibold">{revision.revision}</span>
      <div className="flex min-w-0 flex-1 basis-48 flex-col gap-1">
        <span className="flex flex-wrap items-center gap-2">
          <StateBadge state={revision.outcome} />
          {serving ? <Badge icon={<CirclePlay />}>Serving</Badge> : null}
          {pinned ? <Badge icon={<Pin />}>Pinned</Badge> : null}
          <span className="text-sm text-muted">
            <RelativeTime time={revision.created_at} /> <span className="foreign">{triggerInWords(revision)}</span>
          </span>
        </span>
        {revision.failure === null ? null : (
          <span className="foreign line-clamp-2 text-sm text-failed">
            <CodeText text={revision.failure.error} />
          </span>
        )}
        <RevisionChanges revision={revision} />
      </div>
      <span className="flex flex-wrap gap-2">
        {earlier === null ? null : (
          <Button size="sm" variant="quiet" icon={<GitCompareArrows />} onClick={() => onCompare(earlier)} className={UNDER_NUMBER}>
            What changed<span className="sr-only"> since revision {earlier}</span>
          </Button>
        )}
        {onUndo === null ? null : (
          <Button size="sm" variant="quiet" icon={<FileClock />} onClick={onUndo} className={UNDER_NUMBER}>
            Restore files<span className="sr-only"> to revision {revision.revision}</span>
          </Button>
        )}
        {usable && !serving ? (
          <TransientButton focusFallback="li" size="sm" onClick={() => onAsk('rollback')}>
            Roll back<span className="sr-only"> to {revision.revision}</span>
          </TransientButton>
        ) : null}
        {usable && !pinned ? (
          <TransientButton focusFallback="li" size="sm" onClick={() => onAsk('pin')}>
            Pin<span className="sr-only"> revision {revision.revision}</span>
          </TransientButton>
        ) : null}
      </span>
    </li>
  );
}

const SHOWN = 6;

function RevisionChanges({ revision }: { revision: Revision }) {
  const { files, files_changed: filesChanged, tools, tools_changed: toolsChanged, packages } = revision;
  return (
    <>
      <Line icon={<Wrench />} label="Tools" all={tools} changes={toolsChanged}>
        {toolsChanged?.breaking === true ? (
          <Badge tone="degraded" icon={<TriangleAlert />}>
            Breaking
          </Badge>
        ) : null}
      </Line>
      <Line icon={<Package />} label="Packages" all={Object.entries(packages ?? {}).map((one) => one.join(' '))} changes={null} />
      <Line icon={<FileCode />} label="Files" all={files} changes={filesChanged} />
    </>
  );
}

const KINDS = [
  { kind: 'added', sign: '+', tone: 'text-ok' },
  { kind: 'removed', sign: '−', tone: 'text-failed' },
  { kind: 'changed', sign: '~', tone: 'text-muted' },
] as const;

interface LineProps {
  icon: ReactNode;
  label: string;
  all: readonly string[];
  changes: NameChanges | null;
  children?: ReactNode;
}

function Line({ icon, label, all, changes, children }: LineProps) {
  const names =
    changes === null
      ? all.map((name) => ({ kind: null, sign: null, tone: 'text-muted', name }))
      : KINDS.flatMap(({ kind, sign, tone }) => changes[kind].map((name) => ({ kind, sign, tone, name })));
  if (names.length === 0) return null;
  return (
    <div className="flex min-w-0 items-start gap-2 text-sm [&>svg]:h-lh [&>svg]:w-3.5 [&>svg]:shrink-0 [&>svg]:text-muted">
      {icon}
      <ul
        aria-label={changes === null ? label : `${label} changed since revision ${changes.since}`}
        className="flex min-w-0 flex-wrap gap-x-3"
      >
        {names.slice(0, SHOWN).map(({ kind, sign, tone, name }) => (
          <li
            key={`${kind} ${name}`}
            title={kind === null ? name : `${name}: ${kind} since revision ${changes?.since}`}
            className={cx('flex min-w-0 gap-1', kind === null && tone)}
          >
            {kind === null ? null : (
              <>
                <span aria-hidden className={cx('w-[1ch] shrink-0 text-center font-mono font-semibold', tone)}>
                  {sign}
                </span>
                <span className="sr-only">{kind} </span>
              </>
            )}
            <span className="min-w-0 break-all">{name}</span>
          </li>
        ))}
        {names.length > SHOWN ? <li className="text-muted">and {names.length - SHOWN} more</li> : null}
        {children === undefined || children === null ? null : <li className="flex">{children}</li>}
      </ul>
    </div>
  );
}

interface RevisionComparisonProps {
  extension: ExtensionDetail;
  from: number;
  to: number;
  onChange: (from: number, to: number) => void;
  onClose: () => void;
}

function RevisionComparison({ extension, from, to, onChange, onClose }: RevisionComparisonProps) {
  const { data, error, refetch, isFetching } = useQuery(queries.revisionComparison(extension.id, from, to));
  const choice = (label: string, value: number, change: (revision: number) => void) => (
    <Select
      aria-label={label}
      className="w-36"
      options={extension.revisions.map(({ revision }) => [String(revision), `Revision ${revision}`] as const)}
      value={String(value)}
      onChange={(revision) => change(Number(revision))}
    />
  );
  return (
    <section aria-label="Comparison of two revisions" className="flex min-w-0 flex-col gap-4 border-b p-4">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-sm text-muted">From</span>
        {choice('From revision', from, (revision) => onChange(revision, to))}
        <span className="text-sm text-muted">to</span>
        {choice('To revision', to, (revision) => onChange(from, revision))}
        <IconButton size="sm" label="Close the comparison" onClick={onClose} className="ml-auto">
          <X />
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
      <Section title="Source changes" note={files === null ? undefined : `${files.length} ${files.length === 1 ? 'file' : 'files'}`}>
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
        <Badge tone={tool.breaking ? 'failed' : 'ok'} icon={tool.breaking ? <TriangleAlert /> : <CircleCheck />}>
          {tool.breaking ? 'Breaking' : 'Compatible'}
        </Badge>
        {word === null ? null : <span className="text-muted">{word}</span>}
      </span>
      {tool.changes.length === 0 ? null : (
        <ul className="flex flex-col gap-1">
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
      <TrialSummary what="saved call" checked={saved} revision={to} refused={refusedSaved.length}>
        {refusedSaved.map((one) => (
          <RefusedCall key={one.saved_call_id} href={PAGES.savedCall(one.tool, one.saved_call_id)} name={one.name} issues={one.issues}>
            <span className="text-muted">of {one.tool}</span>
            {one.required ? <Badge icon={<ShieldCheck />}>Required</Badge> : null}
            {one.tool_gone ? <span className="text-muted">Tool removed.</span> : null}
          </RefusedCall>
        ))}
      </TrialSummary>
      <TrialSummary what="recent call" checked={calls} revision={to} refused={refused.length}>
        {refused.map((call) => (
          <RefusedCall key={call.call_id} href={PAGES.call(call.call_id)} name={call.tool} issues={call.issues} />
        ))}
      </TrialSummary>
    </>
  );
}

function TrialSummary({
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

function RefusedCall({ href, name, issues, children }: { href: string; name: string; issues: readonly CallIssue[]; children?: ReactNode }) {
  return (
    <li className="flex min-w-0 flex-wrap items-baseline gap-x-2">
      <ListLink href={href} className="link break-all">
        {name}
      </ListLink>
      {children}
      {issues.length === 0 ? null : (
        <span className="foreign min-w-0 text-muted">{issues.map((issue) => `${issue.path} ${issue.message}`.trim()).join('; ')}</span>
      )}
    </li>
  );
}
