'use client';

import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX, Save, TriangleAlert, Undo2 } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Kbd } from '#components/ui/Kbd.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { sourceQueries, useIsSavingSource, useSaveSource } from '#lib/client/source-queries.ts';
import { useMayNot } from '#lib/client/use-may-not.ts';
import type { ExtensionDetail } from '#lib/contract/extension.ts';
import type { SourceFile } from '#lib/contract/source-file.ts';
import type { EditorFault } from './CodeEditor.tsx';
import { otherContentInWords } from './extension-words.ts';
import { settleSourceDraft, useSourceDraft, writeSourceDraft } from './source-drafts.ts';
import { lazyInBrowser } from '#components/ui/lazy-part.tsx';

const CodeEditor = lazyInBrowser(
  async () => (await import('./CodeEditor.tsx')).CodeEditor,
  <Skeleton lines={10} label="Opening the editor…" />,
);

export interface SourceFileEditorProps {
  path: string;
  extension: ExtensionDetail;
  readOnly: boolean;
}

/** One file: edited, saved, and told at once whether what was saved serves or failed, and where. */
export function SourceFileEditor({ path, extension, readOnly }: SourceFileEditorProps) {
  const { data, error, refetch, isFetching } = useQuery(sourceQueries.file(path));
  const draft = useSourceDraft(path);
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={10} label="Reading the file…" />
    ) : (
      <div className="flex min-w-0 flex-col gap-4 p-4">
        <ErrorState title="The file cannot be shown" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
        {draft === null ? null : (
          <>
            <CodeBlock code={draft.text} label="Your unsaved text" />
            <Button size="sm" onClick={() => writeSourceDraft(path, null)} className="self-start">
              Drop changes
            </Button>
          </>
        )}
      </div>
    );
  return <Opened file={data} extension={extension} readOnly={readOnly} reread={async () => (await refetch()).data ?? null} />;
}

interface OpenedProps {
  file: SourceFile;
  extension: ExtensionDetail;
  readOnly: boolean;
  reread: () => Promise<SourceFile | null>;
}

/** Shows the draft of the file where there is one, and says so where the file was changed on disk since. */
function Opened({ file, extension, readOnly: isTurnedOff, reread }: OpenedProps) {
  const save = useSaveSource(({ path, text }, { hash }) => {
    if (hash !== null) settleSourceDraft(path, { hash, text });
  });
  const isSaving = useIsSavingSource(file.path);
  const mayNot = useMayNot('extensions.edit');
  const readOnly = isTurnedOff || mayNot !== null;
  const stored = useSourceDraft(file.path);
  const draft = stored === null || stored.text === file.text ? null : stored;
  const isDirty = draft !== null;
  const isOld = isDirty && !isSaving && draft.hash !== file.hash;
  const text = draft?.text ?? file.text;

  // Somebody has saved the same text, or it was typed back.
  const isSpent = stored !== null && draft === null && !isSaving;
  useEffect(() => {
    if (isSpent) writeSourceDraft(file.path, null);
  }, [isSpent, file.path]);

  function edit(next: string) {
    writeSourceDraft(file.path, next === file.text && !isSaving ? null : { hash: draft?.hash ?? file.hash, text: next });
  }

  async function store(expected_hash: string) {
    await save.mutateAsync({ path: file.path, text, expected_hash });
  }

  function saveDraft() {
    if (isDirty && !readOnly && !isSaving) store(draft.hash).catch(() => undefined);
  }

  function dropDraft() {
    save.reset();
    writeSourceDraft(file.path, null);
  }

  const { failure } = extension;
  const fault = useMemo<EditorFault | null>(
    () =>
      failure?.file === file.path && failure.line !== null && !isDirty
        ? { line: failure.line, column: failure.column, message: failure.message }
        : null,
    [failure, file.path, isDirty],
  );
  const conflict = isOld || (save.isError && hasProblemCode(save.error, 'source_changed'));

  return (
    <section aria-label={`File ${file.path}`} className="flex h-[34rem] min-w-0 flex-col">
      <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b px-3 py-1.5">
        <code className="min-w-0 flex-1 basis-40 truncate text-xs" title={file.path}>
          {file.path}
          {isDirty ? <span className="text-muted"> · not saved</span> : null}
        </code>
        {readOnly ? (
          <span className="text-sm text-muted">{isTurnedOff ? 'Editing is turned off here (READ_ONLY_EXTENSIONS).' : mayNot}</span>
        ) : (
          <>
            {isDirty ? (
              <Button size="sm" variant="quiet" icon={<Undo2 aria-hidden />} onClick={dropDraft}>
                Drop changes
              </Button>
            ) : null}
            <Button size="sm" variant="primary" icon={<Save aria-hidden />} pending={isSaving} aria-disabled={!isDirty} onClick={saveDraft}>
              Save
              <span className="max-sm:hidden">
                <Kbd>Ctrl S</Kbd>
              </span>
            </Button>
          </>
        )}
      </header>
      {conflict ? (
        <div role="alert" className="flex flex-wrap items-center gap-2 border-b bg-degraded-soft px-3 py-2 text-sm">
          <TriangleAlert aria-hidden className="size-4 text-degraded" />
          <span className="min-w-0 flex-1 basis-60">The file was changed on disk since you began. Which of the two is to stay?</span>
          <Button size="sm" onClick={() => void reread().then((theirs) => (theirs === null ? undefined : dropDraft()))}>
            Take what is on disk
          </Button>
          <Button
            size="sm"
            variant="danger"
            onClick={() =>
              void reread()
                .then((theirs) => (theirs === null ? undefined : store(theirs.hash)))
                .catch(() => undefined)
            }
          >
            Overwrite it with mine
          </Button>
        </div>
      ) : save.isError ? (
        <p role="alert" className="foreign border-b bg-failed-soft px-3 py-2 text-sm text-failed">
          {messageOf(save.error)}
        </p>
      ) : null}
      <CodeEditor text={text} file={file.path} readOnly={readOnly} fault={fault} onChange={edit} onSave={saveDraft} />
      <p role="status" className="min-h-9 border-t px-3 py-2 text-sm">
        <Outcome extension={extension} isSaving={isSaving} hasSaved={save.isSuccess} />
      </p>
    </section>
  );
}

/** What became of what is on disk. */
function Outcome({ extension, isSaving, hasSaved }: { extension: ExtensionDetail; isSaving: boolean; hasSaved: boolean }) {
  const { failure, serving_revision: serving, revision } = extension;
  if (isSaving) return <span className="text-muted">Saving and loading…</span>;
  if (failure !== null)
    return (
      <span className="foreign flex min-w-0 items-baseline gap-2 text-failed">
        <CircleX aria-hidden className="size-3.5 shrink-0 translate-y-0.5" />
        <span className="min-w-0 break-words">
          {failure.line === null ? '' : `Line ${failure.line}: `}
          <CodeText text={failure.message} /> {serving === null ? 'Nothing serves.' : `Revision ${serving} goes on serving.`}
        </span>
      </span>
    );
  const other = otherContentInWords(serving, revision);
  if (serving === null) return <span className="text-muted">This extension does not serve at the moment.</span>;
  return (
    <span className="flex items-center gap-2 text-muted">
      <CircleCheck aria-hidden className="size-3.5 text-ok" />
      {hasSaved ? 'Saved. ' : ''}Revision {serving} serves{other === null ? '' : `; ${other}`}.
    </span>
  );
}
