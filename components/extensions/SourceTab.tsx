'use client';

import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX, FilePlus2, Save, TriangleAlert, Undo2 } from 'lucide-react';
import { parseAsString, useQueryStates } from 'nuqs';
import { useEffect, useMemo, useRef, useState } from 'react';
import { EmptyState, ErrorState, QueryState, Skeleton } from '#components/ui/QueryState.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { Field, Form, Input } from '#components/ui/Field.tsx';
import { Kbd } from '#components/ui/Kbd.tsx';
import { Popover } from '#components/ui/Popover.tsx';
import { cx } from '#components/ui/cx.ts';
import { lazyInBrowser } from '#components/ui/lazy-part.tsx';
import { textDrafts, useAskBeforeUnload, useDraftKeys, useTextDraft } from '#components/ui/text-drafts.ts';
import { useScrollInRow } from '#components/ui/use-scroll-in-row.ts';
import { useMay, useMayNot } from '#lib/client/SessionProvider.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { sourceQueries, useIsSavingSource, useSaveSource } from '#lib/client/source-queries.ts';
import type { Extension, ExtensionDetail } from '#lib/contract/extension.ts';
import type { SourceFile } from '#lib/contract/source-file.ts';
import type { EditorFault } from './CodeEditor.tsx';
import { otherContentInWords } from './ExtensionState.tsx';

export function filesOf(extension: Pick<Extension, 'id' | 'path'>, all: readonly string[]): readonly string[] {
  const slash = extension.id.indexOf('/');
  if (slash === -1) {
    const own = all.filter((path) => path.startsWith(`${extension.id}/`));
    return own.length > 0 ? own : all.filter((path) => path === extension.path);
  }
  const group = extension.id.slice(0, slash + 1);
  return all.filter((path) => path === extension.path || path.replace(/\.[^./]+$/, '') === extension.id || path.startsWith(`${group}_`));
}

export function firstFile(files: readonly string[], faulty: string | null, entry: string): string | null {
  const known = [faulty, entry].find((path): path is string => path !== null && files.includes(path));
  return known ?? files.find((path) => /\/(?:extension\.(?:m?[tj]s|py)|mcp\.json)$/.test(path)) ?? files[0] ?? null;
}

const NAME = /^[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)*$/;

export function refusalOfName(name: string, taken: readonly string[], folder: string): string | null {
  if (name === '') return 'Enter a name, such as helper.ts.';
  if (!NAME.test(name)) return 'Names have letters, digits, “.”, “-” and “_”, and do not begin with a dot; “/” makes folders.';
  if (taken.includes(`${folder}${name}`)) return 'A file with this name already exists.';
  return null;
}

/** `hash` of the file the draft started from, to detect changes on disk. */
interface SourceDraft {
  readonly hash: string;
  readonly text: string;
}

const PREFIX = 'source:';
const STORED = /^([0-9a-f]{64})\n/;

function readSourceDraft(stored: string): SourceDraft | null {
  const hash = STORED.exec(stored)?.[1];
  return hash === undefined ? null : { hash, text: stored.slice(hash.length + 1) };
}

function writeSourceDraft(path: string, draft: SourceDraft | null): void {
  textDrafts.write(PREFIX + path, draft === null ? null : `${draft.hash}\n${draft.text}`);
}

/** Text typed during a save is a draft of the saved file. */
function settleSourceDraft(path: string, saved: SourceDraft): void {
  const draft = readSourceDraft(textDrafts.read(PREFIX + path) ?? '');
  if (draft !== null) writeSourceDraft(path, draft.text === saved.text ? null : { hash: saved.hash, text: draft.text });
}

function useSourceDraft(path: string): SourceDraft | null {
  const [stored] = useTextDraft(PREFIX + path);
  return useMemo(() => readSourceDraft(stored), [stored]);
}

export function SourceTab({ extension }: { extension: ExtensionDetail }) {
  const { data: tree, error, refetch, isFetching } = useQuery(sourceQueries.tree());
  const mayEdit = useMay('extensions.edit');
  const unsaved = useDraftKeys(PREFIX);
  useAskBeforeUnload(PREFIX);
  const [{ file }, setOpen] = useQueryStates({ file: parseAsString }, { history: 'replace' });

  if (tree === undefined) return <QueryState query={{ error, refetch, isFetching }} what="the files" lines={8} inset />;

  const files = filesOf(
    extension,
    // A removed file with unsaved text stays listed.
    [...new Set([...tree.files.map((each) => each.path), ...unsaved])],
  );
  const open = file !== null && files.includes(file) ? file : firstFile(files, extension.failure?.file ?? null, extension.path);
  const folder = extension.id.includes('/') ? extension.id.slice(0, extension.id.indexOf('/') + 1) : `${extension.id}/`;
  if (open === null)
    return (
      <EmptyState title="No files">They were removed or are outside the extensions folder. See Revisions for earlier versions.</EmptyState>
    );
  return (
    <div className="grid min-w-0 md:grid-cols-[13rem_minmax(0,1fr)]">
      <nav aria-label="Files" className="min-w-0 border-b p-2 md:border-r md:border-b-0">
        <FileList
          files={files}
          open={open}
          folder={folder}
          failed={extension.failure?.file ?? null}
          unsaved={unsaved}
          onOpen={(path) => void setOpen({ file: path })}
        />
        {tree.read_only || !mayEdit ? null : <NewFile folder={folder} taken={files} onMade={(path) => void setOpen({ file: path })} />}
      </nav>
      <SourceFileEditor key={open} path={open} extension={extension} readOnly={tree.read_only} />
    </div>
  );
}

interface FileListProps {
  readonly files: readonly string[];
  readonly open: string;
  readonly folder: string;
  readonly failed: string | null;
  readonly unsaved: ReadonlySet<string>;
  readonly onOpen: (path: string) => void;
}

/** A column, or on a phone a row. */
function FileList({ files, open, folder, failed, unsaved, onOpen }: FileListProps) {
  const list = useRef<HTMLUListElement>(null);
  useScrollInRow(list, '[aria-current]', open);
  return (
    <ul ref={list} className="flex flex-col max-md:fade-right max-md:flex-row max-md:overflow-x-auto">
      {files.map((path) => (
        <li key={path} className="max-md:shrink-0">
          <button
            type="button"
            aria-current={path === open ? 'true' : undefined}
            onClick={() => onOpen(path)}
            title={path}
            className={cx(
              'focus-inset min-h-8 w-full truncate rounded px-2 py-1 text-left font-mono text-xs hover:bg-hover pointer-coarse:min-h-10',
              path === open && 'bg-accent-soft font-medium',
              path === failed && 'text-failed',
            )}
          >
            {path.startsWith(folder) ? path.slice(folder.length) : path}
            {unsaved.has(path) ? <span className="font-sans text-muted"> · unsaved</span> : null}
          </button>
        </li>
      ))}
    </ul>
  );
}

function NewFile({ folder, taken, onMade }: { folder: string; taken: readonly string[]; onMade: (path: string) => void }) {
  const save = useSaveSource();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [tried, setTried] = useState(false);
  const refusal = refusalOfName(name, taken, folder);

  async function make() {
    setTried(true);
    if (refusal !== null) return;
    const path = `${folder}${name}`;
    await save.mutateAsync({ path, text: '', expected_hash: null });
    setOpen(false);
    setName('');
    setTried(false);
    onMade(path);
  }

  const problem = save.isError ? messageOf(save.error) : tried ? refusal : null;
  return (
    <Popover
      label="New file"
      align="start"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size="sm" variant="quiet" icon={<FilePlus2 />} className="mt-1">
          New file
        </Button>
      }
    >
      <Form className="flex w-72 flex-col gap-3 p-3" onSubmit={() => void make().catch(() => undefined)}>
        <Field label={`Name, in ${folder}`} error={problem}>
          <Input
            value={name}
            onChange={(event) => {
              setName(event.target.value);
              if (save.isError) save.reset();
            }}
            placeholder="helper.ts"
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
          />
        </Field>
        <Button type="submit" size="sm" variant="primary" pending={save.isPending} className="self-end">
          Create
        </Button>
      </Form>
    </Popover>
  );
}

const CodeEditor = lazyInBrowser(async () => (await import('./CodeEditor.tsx')).CodeEditor, <Skeleton lines={10} />);

function SourceFileEditor({ path, extension, readOnly }: { path: string; extension: ExtensionDetail; readOnly: boolean }) {
  const { data, error, refetch, isFetching } = useQuery(sourceQueries.file(path));
  const draft = useSourceDraft(path);
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={10} />
    ) : (
      <div className="flex min-w-0 flex-col gap-4 p-4">
        <ErrorState title="The file cannot be shown" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
        {draft === null ? null : (
          <>
            <CodeBlock code={draft.text} label="Your unsaved text" />
            <Button size="sm" onClick={() => writeSourceDraft(path, null)} className="self-start">
              Discard changes
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

  // The same text was saved elsewhere or typed back.
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
      <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b px-3 py-1">
        <code className="min-w-0 flex-1 basis-40 truncate text-xs" title={file.path}>
          {file.path}
          {isDirty ? <span className="text-muted"> · not saved</span> : null}
        </code>
        {readOnly ? (
          <span className="text-sm text-muted">{isTurnedOff ? 'Editing is disabled (READ_ONLY_EXTENSIONS).' : mayNot}</span>
        ) : (
          <>
            {isDirty ? (
              <Button size="sm" variant="quiet" icon={<Undo2 />} onClick={dropDraft}>
                Discard changes
              </Button>
            ) : null}
            <Button size="sm" variant="primary" icon={<Save />} pending={isSaving} aria-disabled={!isDirty} onClick={saveDraft}>
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
          <TriangleAlert className="size-4 text-degraded" />
          <span className="min-w-0 flex-1 basis-60">The file changed on disk. Which version do you want to keep?</span>
          <Button size="sm" onClick={() => void reread().then((theirs) => (theirs === null ? undefined : dropDraft()))}>
            Use the file on disk
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
            Overwrite with mine
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

function Outcome({ extension, isSaving, hasSaved }: { extension: ExtensionDetail; isSaving: boolean; hasSaved: boolean }) {
  const { failure, serving_revision: serving, revision } = extension;
  if (isSaving) return <span className="text-muted">Saving and loading…</span>;
  if (failure !== null)
    return (
      <span className="foreign flex min-w-0 items-baseline gap-2 text-failed">
        <CircleX className="size-3.5 shrink-0 translate-y-0.5" />
        <span className="min-w-0 break-words">
          {failure.line === null ? '' : `Line ${failure.line}: `}
          <CodeText text={failure.message} /> {serving === null ? 'Not serving.' : `Revision ${serving} keeps serving.`}
        </span>
      </span>
    );
  const other = otherContentInWords(serving, revision);
  if (serving === null) return <span className="text-muted">Not serving.</span>;
  return (
    <span className="flex items-center gap-2 text-muted">
      <CircleCheck className="size-3.5 text-ok" />
      {hasSaved ? 'Saved. ' : ''}Revision {serving} serves{other === null ? '' : `; ${other}`}.
    </span>
  );
}
