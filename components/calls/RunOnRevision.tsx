'use client';

import { useQuery } from '@tanstack/react-query';
import { ChevronDown, GitCompareArrows } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { DropdownMenu, MenuItem, MenuLabel } from '#components/ui/DropdownMenu.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { beginHere } from '#lib/client/leaving.ts';
import { useReplayCall } from '#lib/client/mutations.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { argumentsOf, jsonText } from './call-words.ts';

const LABEL = 'Run on another revision';

export interface RunOnRevisionProps {
  call: Call;
  /** Why it is asked before anything runs; null where nothing is asked. */
  warning: string | null;
  /** It is not known yet whether to ask. */
  disabled: boolean;
  /** It cannot run as it was, since its secrets were not kept: tells so. */
  onSecrets: () => void;
}

/** The same call on another revision of its extension, and then both side by side. */
export function RunOnRevision({ call, warning, disabled, onSecrets }: RunOnRevisionProps) {
  const router = useRouter();
  const replay = useReplayCall();
  const [asked, setAsked] = useState<number | null>(null);
  if (argumentsOf(call) === null) return null;
  if (call.redacted.length > 0)
    return (
      <Button size="sm" icon={<GitCompareArrows aria-hidden />} onClick={onSecrets}>
        {LABEL}
      </Button>
    );

  async function run(revision: number) {
    const isStillHere = beginHere();
    const other = await replay.mutateAsync({ id: call.id, revision });
    if (isStillHere()) router.push(PAGES.compareCalls(call.id, other.id));
  }

  return (
    <>
      <DropdownMenu
        align="start"
        trigger={
          <Button size="sm" icon={<GitCompareArrows aria-hidden />} pending={replay.isPending} disabled={disabled}>
            {LABEL}
            <ChevronDown aria-hidden className="size-3.5" />
          </Button>
        }
      >
        <Revisions
          call={call}
          onChoose={(revision) => {
            if (warning !== null) setAsked(revision);
            else run(revision).catch(() => undefined);
          }}
        />
      </DropdownMenu>
      {replay.isError && asked === null ? <ProblemLine className="basis-full">{messageOf(replay.error)}</ProblemLine> : null}
      <AlertDialog
        open={asked !== null}
        onOpenChange={(open) => {
          if (!open) setAsked(null);
        }}
        danger
        wide
        title={`Run ${call.tool} on revision ${asked ?? ''}?`}
        description={`${warning ?? ''} It gets these arguments:`}
        confirm={`Run ${call.tool}`}
        onConfirm={() => (asked === null ? undefined : run(asked))}
      >
        <CodeBlock code={jsonText(call.arguments)} language="json" label="Arguments" copyLabel={null} wrap />
      </AlertDialog>
    </>
  );
}

/** In the menu, and so only read once it is open. */
function Revisions({ call, onChoose }: { call: Call; onChoose: (revision: number) => void }) {
  const { data, error } = useQuery(queries.extension(call.extension));
  const others = data?.revisions.filter((each) => each.runnable && each.outcome === 'loaded' && each.revision !== call.revision);
  if (others === undefined) return <MenuLabel>{error === null ? 'Reading the revisions…' : messageOf(error)}</MenuLabel>;
  if (others.length === 0) return <MenuLabel>There is no other revision that can run.</MenuLabel>;
  return (
    <>
      <MenuLabel>{call.revision === null ? 'It did not run on any revision' : `It ran on revision ${call.revision}`}</MenuLabel>
      {others.map(({ revision }) => (
        <MenuItem key={revision} onSelect={() => onChoose(revision)}>
          Revision {revision}
          {revision === data?.serving_revision ? <span className="text-muted">serving</span> : null}
        </MenuItem>
      ))}
    </>
  );
}
