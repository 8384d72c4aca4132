'use client';

import { useQuery } from '@tanstack/react-query';
import { ChevronDown, Columns2, GitCompareArrows, PencilLine, RotateCw, Save } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Button, LinkButton } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { DropdownMenu, MenuItem, MenuLabel } from '#components/ui/DropdownMenu.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { pointerInWords } from '#components/ui/pointer-words.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { trackLocation } from '#lib/client/pending-navigation.ts';
import { useReplayCall } from '#lib/client/mutations.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { isDestructive } from '#lib/contract/tool-hints.ts';
import { CopyAsMenu } from './CopyAsMenu.tsx';
import { argumentsOf, jsonText } from './call-words.ts';

/**
 * Confirmation before a replay: null for none, undefined until the tool is loaded (nothing may run yet). A tool that cannot be
 * loaded counts as destructive.
 */
const SaveCallDialog = lazyPart(async () => (await import('./SaveCallDialog.tsx')).SaveCallDialog);

export function questionBefore(tool: Pick<Tool, 'annotations'> | undefined, error: Error | null): string | null | undefined {
  if (tool === undefined) return error === null ? undefined : 'Could not load the tool, so it may be destructive.';
  return isDestructive(tool) ? 'This tool is destructive: it may change or delete data.' : null;
}

/** `isComplete`: false while the result is loading. */
export function CallActions({ call, isComplete = true }: { call: Call; isComplete?: boolean }) {
  const router = useRouter();
  const replay = useReplayCall();
  const { data: tool, error: unread } = useQuery(queries.tool(call.tool));
  const [asked, setAsked] = useState<{ readonly revision: number | undefined } | null>(null);
  const [explaining, setExplaining] = useState(false);
  const mayReplay = useMay('calls.replay');
  const mayCall = useMay('tools.call');
  const maySave = useMay('saved_calls.write');
  const playground = `${PAGES.tool(call.tool)}?from=${encodeURIComponent(call.id)}`;
  const question = questionBefore(tool, unread);
  const runs = replay.isPending ? replay.variables : null;

  async function run(revision?: number) {
    const isStillHere = trackLocation();
    const again = await replay.mutateAsync({ id: call.id, revision });
    if (isStillHere()) router.push(revision === undefined ? PAGES.call(again.id) : PAGES.compareCalls(call.id, again.id));
  }

  function press(revision?: number) {
    if (call.redacted.length > 0) setExplaining(true);
    else if (question !== null) setAsked({ revision });
    else run(revision).catch(() => undefined);
  }

  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        {mayReplay ? (
          <Button
            size="sm"
            icon={<RotateCw />}
            pending={runs?.revision === undefined && runs !== null}
            disabled={question === undefined}
            onClick={() => press()}
          >
            Replay
          </Button>
        ) : null}
        {mayCall ? (
          <LinkButton size="sm" href={playground} icon={<PencilLine />}>
            Edit and replay
          </LinkButton>
        ) : null}
        <LinkButton
          size="sm"
          href={call.replay_of === null ? PAGES.compareCalls(call.id) : PAGES.compareCalls(call.replay_of, call.id)}
          icon={<Columns2 />}
        >
          {call.replay_of === null ? 'Compare' : 'Compare with the original'}
        </LinkButton>
        {mayReplay ? (
          <RunOnRevision call={call} pending={runs?.revision !== undefined} disabled={question === undefined} onChoose={press} />
        ) : null}
        {maySave ? <SaveCallButton call={call} /> : null}
        <CopyAsMenu
          call={{ tool: call.tool, arguments: argumentsOf(call) ?? {}, secrets: call.redacted }}
          record={isComplete ? () => jsonText(call) : null}
        />
      </div>
      {asked === null ? <ProblemLine error={replay.error} /> : null}
      <AlertDialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        danger
        wide
        title={`Run ${call.tool} ${asked?.revision === undefined ? 'again' : `on revision ${asked.revision}`}?`}
        description={`${question ?? ''} Arguments:`}
        confirm={`Run ${call.tool}`}
        onConfirm={() => run(asked?.revision)}
      >
        <CodeBlock code={jsonText(call.arguments)} language="json" label="Arguments" copyLabel={null} wrap />
      </AlertDialog>
      <Dialog
        open={explaining}
        onClose={() => setExplaining(false)}
        title="This call had secrets"
        description="The history does not store secrets, so this call cannot be replayed as it was. Open the tool and fill these in:"
        actions={
          <LinkButton variant="primary" href={playground}>
            Open {call.tool}
          </LinkButton>
        }
      >
        <ul className="flex flex-col gap-1">
          {call.redacted.map((pointer) => (
            <li key={pointer}>
              <span className="break-words">{pointerInWords(pointer)}</span>
            </li>
          ))}
        </ul>
      </Dialog>
    </div>
  );
}

const LABEL = 'Run on another revision';

interface RunOnRevisionProps {
  call: Call;
  pending: boolean;
  disabled: boolean;
  onChoose: (revision?: number) => void;
}

/** Runs the call on another revision, then compares both. */
function RunOnRevision({ call, pending, disabled, onChoose }: RunOnRevisionProps) {
  if (argumentsOf(call) === null) return null;
  if (call.redacted.length > 0)
    return (
      <Button size="sm" icon={<GitCompareArrows />} onClick={() => onChoose()}>
        {LABEL}
      </Button>
    );

  return (
    <DropdownMenu
      align="start"
      trigger={
        <Button size="sm" icon={<GitCompareArrows />} pending={pending} disabled={disabled}>
          {LABEL}
          <ChevronDown className="size-3.5" />
        </Button>
      }
    >
      <Revisions call={call} onChoose={onChoose} />
    </DropdownMenu>
  );
}

function Revisions({ call, onChoose }: { call: Call; onChoose: (revision: number) => void }) {
  const { data, error } = useQuery(queries.extension(call.extension));
  const others = data?.revisions.filter((each) => each.runnable && each.outcome === 'loaded' && each.revision !== call.revision);
  if (others === undefined) return <MenuLabel>{error === null ? 'Loading…' : messageOf(error)}</MenuLabel>;
  if (others.length === 0) return <MenuLabel>No other revision can run.</MenuLabel>;
  return (
    <>
      <MenuLabel>{call.revision === null ? 'Did not run on any revision' : `Ran on revision ${call.revision}`}</MenuLabel>
      {others.map(({ revision }) => (
        <MenuItem key={revision} onSelect={() => onChoose(revision)}>
          Revision {revision}
          {revision === data?.serving_revision ? <span className="text-muted">serving</span> : null}
        </MenuItem>
      ))}
    </>
  );
}

function SaveCallButton({ call }: { call: Call }) {
  const [isSaving, setIsSaving] = useState(false);
  const [saved, setSaved] = useState<SavedCall | null>(null);
  const args = argumentsOf(call);
  if (args === null) return null;
  return (
    <>
      <Button size="sm" icon={<Save />} onClick={() => setIsSaving(true)}>
        Save
      </Button>
      {saved === null ? null : (
        <span role="status" className="text-sm text-muted">
          Saved as{' '}
          <Link href={PAGES.savedCall(saved.tool, saved.id)} className="link">
            {saved.name}
          </Link>
        </span>
      )}
      {isSaving ? (
        <SaveCallDialog
          what={{ tool: call.tool, arguments: args, shown: args, timeout: '' }}
          result={call.status === 'succeeded' ? call.result : undefined}
          onClose={() => setIsSaving(false)}
          onSaved={setSaved}
        />
      ) : null}
    </>
  );
}
