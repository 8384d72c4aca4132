'use client';

import { useQuery } from '@tanstack/react-query';
import { Columns2, PencilLine, RotateCw } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { pointerInWords } from '#components/ui/pointer-words.ts';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { beginHere } from '#lib/client/leaving.ts';
import { useReplayCall } from '#lib/client/mutations.ts';
import { queries } from '#lib/client/queries.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { argumentsOf, jsonText } from './call-words.ts';
import { CopyAsMenu } from './CopyAsMenu.tsx';
import { questionBefore } from './question-before.ts';
import { RunOnRevision } from './RunOnRevision.tsx';
import { SaveCallButton } from './SaveCallButton.tsx';

/**
 * Repeat a call as it was, or with other arguments. Secrets are not kept, so a call that had some needs them anew.
 * `isWhole`: false while its result is on its way.
 */
export function CallActions({ call, isWhole = true }: { call: Call; isWhole?: boolean }) {
  const router = useRouter();
  const replay = useReplayCall();
  const { data: tool, error: unread } = useQuery(queries.tool(call.tool));
  const [asking, setAsking] = useState(false);
  const [explaining, setExplaining] = useState(false);
  const mayReplay = useMay('calls.replay');
  const mayCall = useMay('tools.call');
  const maySave = useMay('saved_calls.write');
  const bench = `${PAGES.tool(call.tool)}?from=${encodeURIComponent(call.id)}`;
  const question = questionBefore(tool, unread);
  const isKnown = question !== undefined;
  const warning = question ?? null;

  async function repeat() {
    const isStillHere = beginHere();
    const again = await replay.mutateAsync({ id: call.id });
    if (isStillHere()) router.push(PAGES.call(again.id));
  }

  function press() {
    if (call.redacted.length > 0) setExplaining(true);
    else if (warning !== null) setAsking(true);
    else repeat().catch(() => undefined);
  }

  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-2">
        {mayReplay ? (
          <Button size="sm" icon={<RotateCw aria-hidden />} pending={replay.isPending} disabled={!isKnown} onClick={press}>
            Replay
          </Button>
        ) : null}
        {mayCall ? (
          <Button size="sm" asChild>
            <Link href={bench}>
              <PencilLine aria-hidden />
              Edit and replay
            </Link>
          </Button>
        ) : null}
        <Button size="sm" asChild>
          <Link href={call.replay_of === null ? PAGES.compareCalls(call.id) : PAGES.compareCalls(call.replay_of, call.id)}>
            <Columns2 aria-hidden />
            {call.replay_of === null ? 'Compare' : 'Compare with the original'}
          </Link>
        </Button>
        {mayReplay ? <RunOnRevision call={call} warning={warning} disabled={!isKnown} onSecrets={() => setExplaining(true)} /> : null}
        {maySave ? <SaveCallButton call={call} /> : null}
        <CopyButton words disabled={!isWhole} text={() => jsonText(call)} label="Copy JSON" />
        <CopyAsMenu call={{ tool: call.tool, arguments: argumentsOf(call) ?? {}, secrets: call.redacted }} />
      </div>
      {replay.isError && !asking ? <ProblemLine>{messageOf(replay.error)}</ProblemLine> : null}
      <AlertDialog
        open={asking}
        onOpenChange={setAsking}
        danger
        wide
        title={`Run ${call.tool} again?`}
        description={`${warning ?? ''} It gets these arguments:`}
        confirm={`Run ${call.tool}`}
        onConfirm={repeat}
      >
        <CodeBlock code={jsonText(call.arguments)} language="json" label="Arguments" copyLabel={null} wrap />
      </AlertDialog>
      <Dialog
        open={explaining}
        onOpenChange={setExplaining}
        title="This call had secrets"
        description="Secrets are not kept in the history, so it cannot be run again as it was. Open the tool with the other arguments, and fill these in:"
        actions={
          <Button variant="primary" asChild>
            <Link href={bench}>Open {call.tool}</Link>
          </Button>
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
