'use client';

import { CirclePlay, FileClock, FileCode, GitCompareArrows, Package, Pin, TriangleAlert, Wrench } from 'lucide-react';
import { parseAsInteger, useQueryStates } from 'nuqs';
import { type ReactNode, useState } from 'react';
import { Badge, StateBadge } from '#components/ui/Badge.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { EmptyState } from '#components/ui/QueryState.tsx';
import { PassingButton } from '#components/ui/PassingButton.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { cx } from '#components/ui/cx.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { useExtensionAction } from '#lib/client/mutations.ts';
import type { ExtensionDetail, NameChanges, Revision } from '#lib/contract/extension.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { RevisionComparison } from './RevisionComparison.tsx';

const UndoDialog = lazyPart(async () => (await import('./UndoDialog.tsx')).UndoDialog);

const TRIGGERS: Record<string, string> = {
  start: 'at server start',
  watch: 'by a saved file',
  reload: 'by a reload',
  edit: 'by an edit here',
};

const DOINGS: Record<string, string> = { reload: 'by a reload of', edit: 'by an edit of' };

export function triggerInWords({ trigger, actor }: Pick<Revision, 'trigger' | 'actor'>): string {
  const doing = actor === null ? undefined : DOINGS[trigger];
  return doing === undefined ? (TRIGGERS[trigger] ?? trigger) : `${doing} ${actor}`;
}

/** Aligns the icon of a first borderless button with the text on narrow screens. */
const UNDER_NUMBER = 'max-sm:first:-ml-2.5';

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
        onOpenChange={(open) => {
          if (!open) setQuestion(null);
        }}
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
    <li tabIndex={-1} className="focus-inset flex flex-wrap items-start gap-x-3 gap-y-1.5 px-4 py-2.5">
      <span className="tabular w-8 shrink-0 font-semibold">{revision.revision}</span>
      <div className="flex min-w-0 flex-1 basis-48 flex-col gap-1">
        <span className="flex flex-wrap items-center gap-2">
          <StateBadge state={revision.outcome} />
          {serving ? <Badge icon={<CirclePlay aria-hidden />}>Serving</Badge> : null}
          {pinned ? <Badge icon={<Pin aria-hidden />}>Pinned</Badge> : null}
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
          <Button
            size="sm"
            variant="quiet"
            icon={<GitCompareArrows aria-hidden />}
            onClick={() => onCompare(earlier)}
            className={UNDER_NUMBER}
          >
            What changed<span className="sr-only"> since revision {earlier}</span>
          </Button>
        )}
        {onUndo === null ? null : (
          <Button size="sm" variant="quiet" icon={<FileClock aria-hidden />} onClick={onUndo} className={UNDER_NUMBER}>
            Restore files<span className="sr-only"> to revision {revision.revision}</span>
          </Button>
        )}
        {usable && !serving ? (
          <PassingButton heir="li" size="sm" onClick={() => onAsk('rollback')}>
            Roll back<span className="sr-only"> to {revision.revision}</span>
          </PassingButton>
        ) : null}
        {usable && !pinned ? (
          <PassingButton heir="li" size="sm" onClick={() => onAsk('pin')}>
            Pin<span className="sr-only"> revision {revision.revision}</span>
          </PassingButton>
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
      <Line icon={<Wrench aria-hidden />} label="Tools" all={tools} changes={toolsChanged}>
        {toolsChanged?.breaking === true ? (
          <Badge tone="degraded" icon={<TriangleAlert aria-hidden />}>
            Breaking
          </Badge>
        ) : null}
      </Line>
      <Line
        icon={<Package aria-hidden />}
        label="Packages"
        all={Object.entries(packages ?? {}).map((one) => one.join(' '))}
        changes={null}
      />
      <Line icon={<FileCode aria-hidden />} label="Files" all={files} changes={filesChanged} />
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
    <div className="flex min-w-0 items-start gap-2 text-sm [&>svg]:mt-0.5 [&>svg]:size-3.5 [&>svg]:shrink-0 [&>svg]:text-muted">
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
