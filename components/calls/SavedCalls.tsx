'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ListChecks, Save, UserRound } from 'lucide-react';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { toast } from '#components/ui/Sonner.tsx';
import { callEnd } from '#lib/client/call-end.ts';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { useBackLive } from '#lib/client/live-context.ts';
import { useChangeSavedCall, useDeleteSavedCall, useRunSavedCall } from '#lib/client/saved-call-mutations.ts';
import { savedCallQueries } from '#lib/client/saved-call-queries.ts';
import { useMay, useSession } from '#lib/client/SessionProvider.tsx';
import { PAGES } from '#lib/contract/paths.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import { jsonText } from './call-words.ts';
import type { SaveCallDialogProps } from './SaveCallDialog.tsx';
import { SavedCallRow } from './SavedCallRow.tsx';
import { checksInWords } from './saved-call-words.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const SaveCallDialog = lazyPart(async () => (await import('./SaveCallDialog.tsx')).SaveCallDialog);
const SecretsDialog = lazyPart(async () => (await import('./SecretsDialog.tsx')).SecretsDialog);

type Arguments = Readonly<Record<string, unknown>>;

export interface SavedCallsProps {
  tool: string;
  available: boolean;
  /** It is marked as one that may change or delete: asks before it runs. */
  destructive: boolean;
  /** What stands in the form; null while it cannot be read. */
  present: Arguments | null;
  /** The same, with secrets masked. */
  shown: Arguments;
  /** The result that is shown beside the form; undefined when there is none. */
  result: unknown;
  /** The saved call whose arguments were loaded last. */
  open: string | null;
  /** The timeout that stands beside Run, in seconds as it was typed. */
  timeout: string;
  onLoad: (saved: SavedCall) => void;
  onRan: (saved: SavedCall, callId: string) => void;
}

/** Whose: in the address, so that it stays over a reload. */
const WHOSE = parseAsStringLiteral(['me']).withOptions({ history: 'replace' });

type Asking =
  | { readonly kind: 'save'; readonly what: SaveCallDialogProps['what'] }
  | { readonly kind: 'delete' | 'secrets'; readonly saved: SavedCall }
  | { readonly kind: 'run'; readonly all: readonly SavedCall[] };

/** The saved calls of a tool: one press loads the arguments, one runs it, and a check says whether it passed. */
export function SavedCalls({ tool, available, destructive, present, shown, result, open, timeout, onLoad, onRan }: SavedCallsProps) {
  const { data, error, isPending } = useQuery(savedCallQueries.list(tool));
  const client = useQueryClient();
  const run = useRunSavedCall();
  const change = useChangeSavedCall();
  const remove = useDeleteSavedCall();
  const [asking, setAsking] = useState<Asking | null>(null);
  const [running, setRunning] = useState<ReadonlySet<string>>(new Set());
  const [problems, setProblems] = useState<ReadonlyMap<string, unknown>>(new Map());
  useBackLive(() => setProblems((before) => new Map([...before].filter(([, problem]) => !hasProblemCode(problem, 'offline')))));
  const saved = data?.saved_calls ?? [];
  const checks = saved.filter((each) => each.expectation !== null && each.left_out.length === 0);
  const me = useSession().view.person?.name ?? null;
  const [whose, setWhose] = useQueryState('saved_by', WHOSE);
  const onlyMine = whose === 'me' && me !== null;
  const listed = onlyMine ? saved.filter((each) => each.created_by === me) : saved;
  const close = () => setAsking(null);
  const mayRun = useMay('saved_calls.run');
  const mayWrite = useMay('saved_calls.write');
  const mayErase = useMay('saved_calls.erase');
  const mayRequire = useMay('checks.require');

  /** A check that new revisions have to pass is not for everybody to weaken. */
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

  async function runAll(all: readonly SavedCall[]) {
    for (const check of all) await runOne(check);
  }

  function pressRun(one: SavedCall) {
    if (one.left_out.length > 0) setAsking({ kind: 'secrets', saved: one });
    else if (destructive) setAsking({ kind: 'run', all: [one] });
    else void runOne(one);
  }

  function overwrite(one: SavedCall) {
    if (present === null) return note(one.id, new Error('The JSON in the form cannot be read yet. Correct it first.'));
    note(one.id, null);
    change
      .mutateAsync({ id: one.id, wasRequired: one.required, change: { arguments: { ...present } } })
      .catch((problem: unknown) => note(one.id, problem));
  }

  function copyLink(one: SavedCall) {
    navigator.clipboard.writeText(new URL(PAGES.savedCall(tool, one.id), window.location.href).href).then(
      () => toast('succeeded', `The link to ${one.name} is copied.`),
      () => note(one.id, new Error('The browser did not allow copying.')),
    );
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
              icon={<UserRound aria-hidden />}
              aria-pressed={onlyMine}
              className={onlyMine ? 'border-accent bg-accent-soft' : ''}
              onClick={() => void setWhose(onlyMine ? null : 'me')}
            >
              Mine
            </Button>
          )}
          {checks.length === 0 || !mayRun ? null : (
            <Button
              size="sm"
              icon={<ListChecks aria-hidden />}
              disabled={!available}
              pending={checks.some((check) => running.has(check.id))}
              onClick={() => (destructive ? setAsking({ kind: 'run', all: checks }) : void runAll(checks))}
            >
              {checks.length === 1 ? 'Run the check' : `Run ${checks.length} checks`}
            </Button>
          )}
          {mayWrite ? (
            <Button
              size="sm"
              icon={<Save aria-hidden />}
              disabled={present === null}
              onClick={() => setAsking({ kind: 'save', what: { tool, arguments: present ?? {}, shown, timeout } })}
            >
              Save this call
            </Button>
          ) : null}
        </>
      }
    >
      {isPending ? (
        // As high as where there are none, which most tools have.
        <div className="min-h-27">
          <Skeleton lines={2} label="Reading the saved calls…" />
        </div>
      ) : error !== null && saved.length === 0 ? (
        <p className="foreign p-4 text-sm text-failed">{messageOf(error)}</p>
      ) : saved.length === 0 ? (
        <p className="px-4 py-6 text-center text-sm text-muted">
          Keep arguments under a name, for everybody who uses this server. With something expected of it, a saved call is a check.
        </p>
      ) : listed.length === 0 ? (
        <p className="px-4 py-6 text-center text-sm text-muted">None of them was saved by you.</p>
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
              onEdit={mayChange(one) ? () => setAsking({ kind: 'save', what: one }) : null}
              onOverwrite={mayChange(one) ? () => overwrite(one) : null}
              onCopyLink={() => copyLink(one)}
              onDelete={mayErase ? () => setAsking({ kind: 'delete', saved: one }) : null}
            />
          ))}
        </ol>
      )}
      {asking?.kind === 'save' ? <SaveCallDialog what={asking.what} result={result} destructive={destructive} onClose={close} /> : null}
      {asking?.kind === 'secrets' ? (
        <SecretsDialog
          saved={asking.saved}
          onClose={close}
          onRun={(args) => {
            close();
            void runOne(asking.saved, args);
          }}
        />
      ) : null}
      {asking?.kind === 'run' ? (
        <AlertDialog
          open
          onOpenChange={close}
          danger
          wide
          title={`Run ${asking.all.map((each) => each.name).join(', ')}?`}
          description="This tool is marked as one that may change or delete what is there. It gets these arguments:"
          confirm={`Run ${tool}`}
          onConfirm={() => void runAll(asking.all)}
        >
          <CodeBlock
            code={asking.all.map((each) => jsonText(each.arguments)).join('\n')}
            language="json"
            label="Arguments"
            copyLabel={null}
            wrap
          />
        </AlertDialog>
      ) : null}
      {asking?.kind === 'delete' ? (
        <AlertDialog
          open
          onOpenChange={close}
          danger
          title={`Delete ${asking.saved.name}?`}
          description={`It is deleted for everybody. The calls it made stay in the history.${asking.saved.required ? ' New revisions need not pass it any more.' : ''}`}
          confirm="Delete"
          onConfirm={() => remove.mutateAsync(asking.saved.id)}
        />
      ) : null}
    </Panel>
  );
}
