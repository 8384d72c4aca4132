'use client';

import { CirclePlay, FileClock, GitCompareArrows, Pin } from 'lucide-react';
import { parseAsInteger, useQueryStates } from 'nuqs';
import { useState } from 'react';
import { Badge } from '#components/ui/Badge.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { PassingButton } from '#components/ui/PassingButton.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateBadge } from '#components/ui/StateBadge.tsx';
import { useExtensionAction } from '#lib/client/mutations.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import type { ExtensionDetail, Revision } from '#lib/contract/extension.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { RevisionChanges } from './RevisionChanges.tsx';
import { RevisionComparison } from './RevisionComparison.tsx';
import { triggerInWords } from './revision-words.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const UndoDialog = lazyPart(async () => (await import('./UndoDialog.tsx')).UndoDialog);

/** On a phone, where the buttons stand below the text, a first one without a border has its icon under the number. */
const UNDER_NUMBER = 'max-sm:first:-ml-2.5';

interface Question {
  readonly action: 'rollback' | 'pin';
  readonly revision: number;
}

/** Every content that was tried, newest first, with the way back to it. */
export function RevisionList({ extension }: { extension: ExtensionDetail }) {
  const [question, setQuestion] = useState<Question | null>(null);
  const [undoing, setUndoing] = useState<number | null>(null);
  const action = useExtensionAction(extension.id);
  const mayEdit = useMay('extensions.edit');
  const [{ from, to }, setPair] = useQueryStates({ from: parseAsInteger, to: parseAsInteger }, { history: 'replace' });
  if (extension.revisions.length === 0) {
    return (
      <EmptyState title="No revisions yet">Each distinct content of the extension that is tried gets a number and stands here.</EmptyState>
    );
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
            ? `Revision ${question.revision} answers calls until somebody unpins it. Saved files are still checked, but do not go live.`
            : `Revision ${question?.revision ?? ''} answers calls at once. The next saved content that loads replaces it; pin it instead to keep it. Your files are not touched.`
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
  /** The one before it. */
  earlier: number | null;
  onCompare: (earlier: number) => void;
  onAsk: (what: Question['action']) => void;
  /** Null where its sources are no longer kept, or may not be changed. */
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
            Take files back<span className="sr-only"> to revision {revision.revision}</span>
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
