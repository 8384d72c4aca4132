'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { DiffView } from '#components/ui/DiffView.tsx';
import { Checkbox } from '#components/ui/Field.tsx';
import { Skeleton } from '#components/ui/QueryState.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { sourceQueries, useUndoSources } from '#lib/client/source-queries.ts';
import type { UndoFile, UndoPlan } from '#lib/contract/source-file.ts';

export function UndoDialog({ id, revision, onClose }: { id: string; revision: number; onClose: () => void }) {
  const { data: plan, error, refetch, isFetching } = useQuery(sourceQueries.undo(id, revision));
  const undo = useUndoSources(id);
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const remove = plan?.extra.filter(({ path }) => removed.has(path)) ?? [];
  const canWrite = plan !== undefined && !plan.read_only && plan.files.length + remove.length > 0;

  async function write(shown: UndoPlan) {
    await undo.mutateAsync({
      revision,
      files: Object.fromEntries(shown.files.map(({ path, hash }) => [path, hash])),
      remove: Object.fromEntries(remove.map(({ path, hash }) => [path, hash])),
    });
    onClose();
  }

  async function refresh() {
    await refetch();
    undo.reset();
  }

  function choose(path: string, isRemoved: boolean) {
    setRemoved((before) => new Set(isRemoved ? [...before, path] : [...before].filter((other) => other !== path)));
  }

  const problem = undo.error ?? error;
  return (
    <Dialog
      onClose={onClose}
      wide
      title={`Restore the files of ${id} to revision ${revision}?`}
      description="Writes the files to disk as they were; they are served like any save. The current files are kept as a revision."
      actions={
        <>
          <Button onClick={onClose}>{canWrite ? 'Cancel' : 'Close'}</Button>
          {plan !== undefined && canWrite ? (
            <Button variant="primary" pending={undo.isPending} onClick={() => void write(plan).catch(() => undefined)}>
              {buttonWords(plan.files.length, remove.length)}
            </Button>
          ) : null}
        </>
      }
    >
      {problem === null ? null : (
        <div role="alert" className="mb-3 flex flex-wrap items-center gap-2 text-sm">
          <p className="foreign min-w-0 flex-1 basis-60 text-failed">{messageOf(problem)}</p>
          {hasProblemCode(problem, 'source_changed') ? (
            <Button size="sm" pending={isFetching} onClick={() => void refresh()}>
              Refresh
            </Button>
          ) : null}
        </div>
      )}
      {plan === undefined ? error === null ? <Skeleton lines={6} /> : null : <Plan plan={plan} removed={removed} onRemove={choose} />}
    </Dialog>
  );
}

function Plan({
  plan,
  removed,
  onRemove,
}: {
  plan: UndoPlan;
  removed: ReadonlySet<string>;
  onRemove: (path: string, isRemoved: boolean) => void;
}) {
  const { files, extra, left, revision } = plan;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {plan.read_only ? <p className="text-sm">Editing is disabled (READ_ONLY_EXTENSIONS).</p> : null}
      {files.length > 0 ? null : <p className="text-sm">All files match revision {revision}.</p>}
      {files.map((file) => (
        <FileChange key={file.path} file={file} revision={revision} />
      ))}
      {extra.length === 0 ? null : (
        <fieldset className="flex min-w-0 flex-col gap-2 rounded border p-3">
          <legend className="px-1 text-sm font-medium">
            Revision {revision} did not have these files. They stay unless you remove them:
          </legend>
          {extra.map(({ path }, at) => (
            <label key={path} htmlFor={`undo-remove-${at}`} className="flex min-h-8 items-center gap-2 text-sm pointer-coarse:min-h-10">
              <Checkbox id={`undo-remove-${at}`} checked={removed.has(path)} onChange={(event) => onRemove(path, event.target.checked)} />
              <span className="min-w-0">
                Remove <code className="break-all">{path}</code>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {left.length === 0 ? null : (
        <ul aria-label="Unchanged files" className="flex flex-col gap-1 rounded border p-3 text-sm">
          {left.map(({ path, reason }) => (
            <li key={path} className="min-w-0 break-words">
              <code className="break-all">{path}</code> <span className="foreign text-muted">is unchanged. {reason}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function FileChange({ file: { path, before, after, used_by: usedBy }, revision }: { file: UndoFile; revision: number }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="text-sm">
        <code className="break-all">{path}</code>
        {before === null ? <span className="text-muted"> does not exist and will be created</span> : null}
        {usedBy.length === 0 ? null : <span className="text-degraded"> is also used by {usedBy.join(', ')}, which get it too</span>}
      </p>
      <DiffView
        before={before ?? ''}
        after={after}
        beforeName="now"
        afterName={`revision ${revision}`}
        label={`What changes in ${path}`}
        same="Only the byte order mark differs."
      />
    </div>
  );
}

function buttonWords(written: number, removed: number): string {
  const files = (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`;
  if (written === 0) return `Remove ${files(removed)}`;
  return removed === 0 ? `Write ${files(written)} back` : `Write ${files(written)} back, remove ${removed}`;
}
