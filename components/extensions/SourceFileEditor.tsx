'use client';

import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX, Save, TriangleAlert, Undo2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useEffect, useMemo, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Kbd } from '#components/ui/Kbd.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { sourceQueries, useSaveSource } from '#lib/client/source-queries.ts';
import { useMayNot } from '#lib/client/use-may-not.ts';
import type { ExtensionDetail } from '#lib/contract/extension.ts';
import type { SourceFile } from '#lib/contract/source-file.ts';
import type { EditorFault } from './CodeEditor.tsx';
import { otherContentInWords } from './extension-words.ts';

const CodeEditor = dynamic(async () => (await import('./CodeEditor.tsx')).CodeEditor, {
  ssr: false,
  loading: () => <Skeleton lines={10} label="Opening the editor…" />,
});

export interface SourceFileEditorProps {
  path: string;
  extension: ExtensionDetail;
  readOnly: boolean;
}

/** One file: edited, saved, and told at once whether what was saved serves or failed, and where. */
export function SourceFileEditor({ path, extension, readOnly }: SourceFileEditorProps) {
  const { data, error, refetch, isFetching } = useQuery(sourceQueries.file(path));
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={10} label="Reading the file…" />
    ) : (
      <ErrorState
        className="m-4"
        title="The file cannot be shown"
        detail={messageOf(error)}
        onRetry={() => void refetch()}
        retrying={isFetching}
      />
    );
  return <Opened file={data} extension={extension} readOnly={readOnly} reread={async () => (await refetch()).data ?? null} />;
}

interface OpenedProps {
  file: SourceFile;
  extension: ExtensionDetail;
  readOnly: boolean;
  reread: () => Promise<SourceFile | null>;
}

/** `base` is what the typing began from: what is on disk may be another by now. */
function Opened({ file, extension, readOnly: isTurnedOff, reread }: OpenedProps) {
  const save = useSaveSource();
  const mayNot = useMayNot('extensions.edit');
  const readOnly = isTurnedOff || mayNot !== null;
  const [base, setBase] = useState(file);
  const [text, setText] = useState(file.text);
  const isDirty = text !== base.text;
  const isOld = base.hash !== file.hash;
  // Somebody else saved it: whoever has typed nothing sees it at once, whoever has decides.
  if (isOld && !isDirty && !save.isPending) {
    setBase(file);
    setText(file.text);
  }

  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isDirty]);

  async function store(expected_hash: string) {
    const saved = text;
    const { hash } = await save.mutateAsync({ path: file.path, text: saved, expected_hash });
    setBase({ ...file, text: saved, hash: hash ?? expected_hash });
  }

  function takeTheirs(theirs: SourceFile | null) {
    if (theirs === null) return;
    save.reset();
    setBase(theirs);
    setText(theirs.text);
  }

  const { failure } = extension;
  const fault = useMemo<EditorFault | null>(
    () =>
      failure?.file === file.path && failure.line !== null && !isDirty
        ? { line: failure.line, column: failure.column, message: failure.message }
        : null,
    [failure, file.path, isDirty],
  );
  const conflict = (isOld && isDirty) || (save.isError && hasProblemCode(save.error, 'source_changed'));

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
              <Button size="sm" variant="quiet" icon={<Undo2 aria-hidden />} onClick={() => setText(base.text)}>
                Drop changes
              </Button>
            ) : null}
            <Button
              size="sm"
              variant="primary"
              icon={<Save aria-hidden />}
              pending={save.isPending}
              aria-disabled={!isDirty}
              onClick={() => {
                if (isDirty) store(base.hash).catch(() => undefined);
              }}
            >
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
          <Button size="sm" onClick={() => void reread().then(takeTheirs)}>
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
      <CodeEditor
        text={text}
        file={file.path}
        readOnly={readOnly}
        fault={fault}
        onChange={setText}
        onSave={() => {
          if (isDirty && !readOnly) store(base.hash).catch(() => undefined);
        }}
      />
      <p role="status" className="min-h-9 border-t px-3 py-2 text-sm">
        <Outcome extension={extension} isSaving={save.isPending} hasSaved={save.isSuccess} />
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
