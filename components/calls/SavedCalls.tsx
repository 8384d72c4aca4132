'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { EllipsisVertical, FilePen, Link2, ListChecks, PencilLine, Play, Save, ShieldCheck, Trash2, UserRound } from 'lucide-react';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useState } from 'react';
import { Badge, StateText } from '#components/ui/Badge.tsx';
import { Button } from '#components/ui/Button.tsx';
import { copyText } from '#components/ui/CopyButton.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { DropdownMenu, MenuItem } from '#components/ui/DropdownMenu.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/QueryState.tsx';
import { toast } from '#components/ui/Sonner.tsx';
import { cx } from '#components/ui/cx.ts';
import { pointerInWords } from '#components/ui/pointer-words.ts';
import { durationInWords } from '#components/ui/times.ts';
import { useMay, useSession } from '#lib/client/SessionProvider.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { callEnd } from '#lib/client/call-end.ts';
import { useReconnected } from '#lib/client/live-context.ts';
import { useChangeSavedCall, useDeleteSavedCall, useRunSavedCall } from '#lib/client/saved-call-mutations.ts';
import { savedCallQueries } from '#lib/client/saved-call-queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import type { SaveCallDialogProps } from './SaveCallDialog.tsx';
import { argumentsInLine, jsonText } from './call-words.ts';
import { checksInWords, statusOfSaved } from './saved-call-words.ts';

const SaveCallDialog = lazyPart(async () => (await import('./SaveCallDialog.tsx')).SaveCallDialog);
const SecretsDialog = lazyPart(async () => (await import('./SecretsDialog.tsx')).SecretsDialog);

type Arguments = Readonly<Record<string, unknown>>;

interface SavedCallsProps {
  tool: string;
  available: boolean;
  destructive: boolean;
  /** Null while the form is invalid. */
  present: Arguments | null;
  /** The same with secrets masked. */
  shown: Arguments;
  result: unknown;
  open: string | null;
  timeout: string;
  onLoad: (saved: SavedCall) => void;
  onRan: (saved: SavedCall, callId: string) => void;
}

const OWNER = parseAsStringLiteral(['me']).withOptions({ history: 'replace' });

type OpenDialog =
  | { readonly kind: 'save'; readonly what: SaveCallDialogProps['what'] }
  | { readonly kind: 'delete' | 'secrets'; readonly saved: SavedCall }
  | { readonly kind: 'run'; readonly all: readonly SavedCall[]; readonly withSecrets?: Arguments };

export function SavedCalls({ tool, available, destructive, present, shown, result, open, timeout, onLoad, onRan }: SavedCallsProps) {
  const { data, error, isPending } = useQuery(savedCallQueries.list(tool));
  const client = useQueryClient();
  const run = useRunSavedCall();
  const change = useChangeSavedCall();
  const remove = useDeleteSavedCall();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [running, setRunning] = useState<ReadonlySet<string>>(new Set());
  const [problems, setProblems] = useState<ReadonlyMap<string, unknown>>(new Map());
  useReconnected(() => setProblems((before) => new Map([...before].filter(([, problem]) => !hasProblemCode(problem, 'offline')))));
  const saved = data?.saved_calls ?? [];
  const checks = saved.filter((each) => each.expectation !== null && each.left_out.length === 0);
  const me = useSession().view.person?.name ?? null;
  const [owner, setOwner] = useQueryState('saved_by', OWNER);
  const onlyMine = owner === 'me' && me !== null;
  const listed = onlyMine ? saved.filter((each) => each.created_by === me) : saved;
  const close = () => setDialog(null);
  const mayRun = useMay('saved_calls.run');
  const mayWrite = useMay('saved_calls.write');
  const mayErase = useMay('saved_calls.erase');
  const mayRequire = useMay('checks.require');

  /** Required checks can be weakened only by people with permission. */
  function mayChange(one: SavedCall): boolean {
    return mayWrite && (!one.required || mayRequire);
  }

  function note(id: string, problem: unknown) {
    setProblems((before) => {
      const next = new Map(before);
      if (problem === null) next.delete(id);
      else next.set(id, problem);
      return next;
    });
  }

  async function runOne(one: SavedCall, args?: Arguments) {
    setRunning((before) => new Set(before).add(one.id));
    note(one.id, null);
    try {
      const outcome = await run.mutateAsync({ id: one.id, arguments: args });
      onRan(outcome.saved_call, outcome.call.id);
      await callEnd(client, outcome.call.id);
      await client.invalidateQueries({ queryKey: savedCallQueries.list(tool).queryKey });
    } catch (problem) {
      note(one.id, problem);
    } finally {
      setRunning((before) => new Set([...before].filter((id) => id !== one.id)));
    }
  }

  async function runAll(all: readonly SavedCall[], withSecrets?: Arguments) {
    for (const check of all) await runOne(check, withSecrets);
  }

  function pressRun(one: SavedCall) {
    if (one.left_out.length > 0) setDialog({ kind: 'secrets', saved: one });
    else if (destructive) setDialog({ kind: 'run', all: [one] });
    else void runOne(one);
  }

  function overwrite(one: SavedCall) {
    if (present === null) return note(one.id, new Error('The form has invalid JSON. Fix it first.'));
    note(one.id, null);
    change
      .mutateAsync({ id: one.id, wasRequired: one.required, change: { arguments: { ...present } } })
      .catch((problem: unknown) => note(one.id, problem));
  }

  async function copyLink(one: SavedCall) {
    if (await copyText(new URL(PAGES.savedCall(tool, one.id), window.location.href).href))
      toast('succeeded', `Link to ${one.name} copied.`);
    else note(one.id, new Error('The browser did not allow copying.'));
  }

  return (
    <Panel
      title="Saved calls"
      note={checksInWords(saved)}
      flush
      actions={
        <>
          {me === null || saved.length === 0 ? null : (
            <Button
              size="sm"
              icon={<UserRound />}
              aria-pressed={onlyMine}
              className={onlyMine ? 'border-accent bg-accent-soft' : ''}
              onClick={() => void setOwner(onlyMine ? null : 'me')}
            >
              Mine
            </Button>
          )}
          {checks.length === 0 || !mayRun ? null : (
            <Button
              size="sm"
              icon={<ListChecks />}
              disabled={!available}
              pending={checks.some((check) => running.has(check.id))}
              onClick={() => (destructive ? setDialog({ kind: 'run', all: checks }) : void runAll(checks))}
            >
              {checks.length === 1 ? 'Run the check' : `Run ${checks.length} checks`}
            </Button>
          )}
          {mayWrite ? (
            <Button
              size="sm"
              icon={<Save />}
              disabled={present === null}
              onClick={() => setDialog({ kind: 'save', what: { tool, arguments: present ?? {}, shown, timeout } })}
            >
              Save this call
            </Button>
          ) : null}
        </>
      }
    >
      {isPending ? (
        // Reserves the height of the empty state.
        <div className="min-h-27">
          <Skeleton lines={2} />
        </div>
      ) : error !== null && saved.length === 0 ? (
        <p className="foreign p-4 text-sm text-failed">{messageOf(error)}</p>
      ) : saved.length === 0 ? (
        <p className="px-4 py-6 text-center text-sm text-muted">
          Save arguments under a name for everyone on this server. A saved call with an assertion is a check.
        </p>
      ) : listed.length === 0 ? (
        <p className="px-4 py-6 text-center text-sm text-muted">You have not saved any.</p>
      ) : (
        <ol aria-label="Saved calls" className="divide-y text-sm">
          {listed.map((one) => (
            <SavedCallRow
              key={one.id}
              saved={one}
              open={one.id === open}
              running={running.has(one.id)}
              disabled={!available}
              problem={problems.has(one.id) ? messageOf(problems.get(one.id)) : null}
              onLoad={() => onLoad(one)}
              onRun={mayRun ? () => pressRun(one) : null}
              onEdit={mayChange(one) ? () => setDialog({ kind: 'save', what: one }) : null}
              onOverwrite={mayChange(one) ? () => overwrite(one) : null}
              onCopyLink={() => void copyLink(one)}
              onDelete={mayErase ? () => setDialog({ kind: 'delete', saved: one }) : null}
            />
          ))}
        </ol>
      )}
      {dialog?.kind === 'save' ? <SaveCallDialog what={dialog.what} result={result} destructive={destructive} onClose={close} /> : null}
      {dialog?.kind === 'secrets' ? (
        <SecretsDialog
          saved={dialog.saved}
          onClose={close}
          onRun={(args) => {
            if (destructive) return setDialog({ kind: 'run', all: [dialog.saved], withSecrets: args });
            close();
            void runOne(dialog.saved, args);
          }}
        />
      ) : null}
      {dialog?.kind === 'run' ? (
        <AlertDialog
          onClose={close}
          danger
          wide
          title={`Run ${dialog.all.map((each) => each.name).join(', ')}?`}
          description={`This tool is destructive: it may change or delete data. Arguments${dialog.withSecrets === undefined ? '' : ', with the secrets that you entered'}:`}
          confirm={`Run ${tool}`}
          onConfirm={() => void runAll(dialog.all, dialog.withSecrets)}
        >
          <CodeBlock
            code={dialog.all.map((each) => jsonText(each.arguments)).join('\n')}
            language="json"
            label="Arguments"
            copyLabel={null}
            wrap
          />
        </AlertDialog>
      ) : null}
      {dialog?.kind === 'delete' ? (
        <AlertDialog
          onClose={close}
          danger
          title={`Delete ${dialog.saved.name}?`}
          description={`Deletes it for everyone. Its past calls stay in the history.${dialog.saved.required ? ' New revisions no longer need to pass it.' : ''}`}
          confirm="Delete"
          onConfirm={() => remove.mutateAsync(dialog.saved.id)}
        />
      ) : null}
    </Panel>
  );
}

interface SavedCallRowProps {
  saved: SavedCall;
  running: boolean;
  open: boolean;
  disabled: boolean;
  problem: string | null;
  onLoad: () => void;
  /** Null for actions without permission. */
  onRun: (() => void) | null;
  onEdit: (() => void) | null;
  onOverwrite: (() => void) | null;
  onCopyLink: () => void;
  onDelete: (() => void) | null;
}

function SavedCallRow(props: SavedCallRowProps) {
  const { saved, running, open, problem } = props;
  const status = statusOfSaved(saved);
  const run = saved.last_run;
  return (
    <li className={cx('flex min-w-0 flex-col gap-1 px-4 py-2 hover:bg-hover', open && 'bg-accent-soft')}>
      <div className="flex min-w-0 items-center gap-2">
        <button
          type="button"
          aria-current={open || undefined}
          onClick={props.onLoad}
          title="Load arguments"
          className="focus-inset flex min-w-0 flex-1 flex-col rounded-sm py-1 text-left pointer-coarse:py-2"
        >
          <span className="flex max-w-full min-w-0 items-center gap-2">
            <span className="truncate font-medium">{saved.name}</span>
            {saved.required ? <Badge icon={<ShieldCheck />}>Required</Badge> : null}
          </span>
          <code className="max-w-full truncate text-xs text-muted">{argumentsInLine(saved) || 'no arguments'}</code>
        </button>
        <span className="flex shrink-0 items-center gap-2 text-sm">
          {running ? (
            <StateText state="running" />
          ) : status === null ? (
            <span className="text-muted">{saved.expectation === null ? 'Not run yet' : 'Not checked yet'}</span>
          ) : (
            <StateText {...status} />
          )}
          {props.onRun === null ? null : (
            <IconButton size="sm" label={`Run ${saved.name}`} pending={running} disabled={props.disabled} onClick={props.onRun}>
              <Play />
            </IconButton>
          )}
          <DropdownMenu
            trigger={
              <Button size="sm" variant="quiet" aria-label={`Actions for ${saved.name}`} className="size-7 p-0 pointer-coarse:min-w-10">
                <EllipsisVertical />
              </Button>
            }
          >
            {props.onEdit === null ? null : (
              <MenuItem icon={<PencilLine />} onSelect={props.onEdit}>
                Edit…
              </MenuItem>
            )}
            {props.onOverwrite === null ? null : (
              <MenuItem icon={<FilePen />} onSelect={props.onOverwrite}>
                Replace with the form’s arguments
              </MenuItem>
            )}
            <MenuItem icon={<Link2 />} onSelect={props.onCopyLink}>
              Copy link
            </MenuItem>
            {props.onDelete === null ? null : (
              <MenuItem icon={<Trash2 />} danger onSelect={props.onDelete}>
                Delete…
              </MenuItem>
            )}
          </DropdownMenu>
        </span>
      </div>
      {saved.left_out.length === 0 ? null : (
        <p className="text-xs text-muted">
          Saved without{' '}
          <span className="break-words">{saved.left_out.map((pointer) => pointerInWords(pointer, saved.arguments)).join(', ')}</span>; each
          run asks for {saved.left_out.length === 1 ? 'it' : 'them'}.
        </p>
      )}
      {saved.timeout_ms === null ? null : <p className="text-xs text-muted">Ended after {durationInWords(saved.timeout_ms)}.</p>}
      {run === null ? null : (
        <p className="flex min-w-0 flex-wrap gap-x-2 text-xs text-muted">
          {run.failed_because === null ? null : <span className="foreign min-w-0 text-failed">{run.failed_because}</span>}
          <ListLink href={PAGES.call(run.call_id)} className="link">
            <RelativeTime time={run.ran_at} />
            {run.revision === null ? '' : `, revision ${run.revision}`}
          </ListLink>
        </p>
      )}
      {problem === null ? null : <ProblemLine className="text-xs font-medium">{problem}</ProblemLine>}
    </li>
  );
}
