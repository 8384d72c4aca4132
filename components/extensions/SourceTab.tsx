'use client';

import { useQuery } from '@tanstack/react-query';
import { FilePlus2 } from 'lucide-react';
import { parseAsString, useQueryStates } from 'nuqs';
import { useId, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { cx } from '#components/ui/cx.ts';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import { Popover } from '#components/ui/Popover.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { sourceQueries, useSaveSource } from '#lib/client/source-queries.ts';
import type { ExtensionDetail } from '#lib/contract/extension.ts';
import { filesOf, firstFile, refusalOfName } from './source-paths.ts';
import { useUnsavedFiles } from './source-drafts.ts';
import { SourceFileEditor } from './SourceFileEditor.tsx';

/** The files of an extension, to be read and mended on the spot. */
export function SourceTab({ extension }: { extension: ExtensionDetail }) {
  const { data: tree, error, refetch, isFetching } = useQuery(sourceQueries.tree());
  const mayEdit = useMay('extensions.edit');
  const unsaved = useUnsavedFiles();
  const [{ file }, setOpen] = useQueryStates({ file: parseAsString }, { history: 'replace' });

  if (tree === undefined)
    return error === null ? (
      <Skeleton lines={8} label="Reading the files…" />
    ) : (
      <ErrorState
        className="m-4"
        title="The files could not be read"
        detail={messageOf(error)}
        onRetry={() => void refetch()}
        retrying={isFetching}
      />
    );

  const files = filesOf(
    extension,
    // A file with unsaved text is still listed when somebody has removed it.
    [...new Set([...tree.files.map((each) => each.path), ...unsaved])],
  );
  const open = file !== null && files.includes(file) ? file : firstFile(files, extension.failure?.file ?? null, extension.path);
  const folder = extension.id.includes('/') ? extension.id.slice(0, extension.id.indexOf('/') + 1) : `${extension.id}/`;
  if (open === null)
    return (
      <EmptyState title="There are no files to show">
        They were removed, or lie outside of the extensions folder. Earlier revisions are kept under Revisions.
      </EmptyState>
    );
  return (
    <div className="grid min-w-0 md:grid-cols-[13rem_minmax(0,1fr)]">
      <nav aria-label="Files" className="min-w-0 border-b p-2 md:border-r md:border-b-0">
        <ul className="flex flex-col max-md:flex-row max-md:overflow-x-auto">
          {files.map((path) => (
            <li key={path} className="max-md:shrink-0">
              <button
                type="button"
                aria-current={path === open ? 'true' : undefined}
                onClick={() => void setOpen({ file: path })}
                title={path}
                className={cx(
                  'focus-inset min-h-8 w-full truncate rounded px-2 py-1 text-left font-mono text-xs hover:bg-hover pointer-coarse:min-h-10',
                  path === open && 'bg-accent-soft font-medium',
                  path === extension.failure?.file && 'text-failed',
                )}
              >
                {path.startsWith(folder) ? path.slice(folder.length) : path}
                {unsaved.has(path) ? <span className="font-sans text-muted"> · unsaved</span> : null}
              </button>
            </li>
          ))}
        </ul>
        {tree.read_only || !mayEdit ? null : <NewFile folder={folder} taken={files} onMade={(path) => void setOpen({ file: path })} />}
      </nav>
      <SourceFileEditor key={open} path={open} extension={extension} readOnly={tree.read_only} />
    </div>
  );
}

function NewFile({ folder, taken, onMade }: { folder: string; taken: readonly string[]; onMade: (path: string) => void }) {
  const id = useId();
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
        <Button size="sm" variant="quiet" icon={<FilePlus2 aria-hidden />} className="mt-1">
          New file
        </Button>
      }
    >
      <form
        className="flex w-72 flex-col gap-3 p-3"
        onSubmit={(event) => {
          event.preventDefault();
          make().catch(() => undefined);
        }}
      >
        <Field id={id} label={`Name, in ${folder}`} {...(problem === null ? {} : { error: problem })}>
          <Input
            id={id}
            value={name}
            onChange={(event) => setName(event.target.value)}
            placeholder="helper.ts"
            autoComplete="off"
            spellCheck={false}
            aria-invalid={problem !== null}
            className="font-mono"
          />
        </Field>
        <Button type="submit" size="sm" variant="primary" pending={save.isPending} className="self-end">
          Make it
        </Button>
      </form>
    </Popover>
  );
}
