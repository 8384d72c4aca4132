'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { Bug, Check, CircleStop, Save, TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import { useEffect, useRef, useState } from 'react';
import { Button, Spinner } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { useProbe } from '#lib/client/mutations.ts';
import { queries } from '#lib/client/queries.ts';
import { useSaveCall } from '#lib/client/saved-call-mutations.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { checkOfFinding, findingInWords } from '#lib/contract/probe-rules.ts';
import { needsProbeConfirmation, confirmationReason } from '#lib/contract/tool-hints.ts';
import type { Finding, ProbeReport } from '#lib/contract/probe.ts';
import type { Tool } from '#lib/contract/tool.ts';

const MAX_COUNTED = 200;

export function ProbePanel({ tool }: { tool: Tool }) {
  return useMay('tools.probe') ? <Probe tool={tool} /> : null;
}

function Probe({ tool }: { tool: Tool }) {
  const probe = useProbe(tool.name);
  const [isConfirming, setIsConfirming] = useState(false);
  const [since, setSince] = useState('');
  const [wasStopped, setWasStopped] = useState(false);
  const ending = useRef<AbortController | null>(null);
  const destroys = needsProbeConfirmation(tool);
  // Aborting the request ends the probe on the server.
  useEffect(() => () => ending.current?.abort(), []);

  function start() {
    const controller = new AbortController();
    ending.current = controller;
    setSince(new Date().toISOString());
    setWasStopped(false);
    probe.mutate({ destructive: destroys, signal: controller.signal });
  }

  function stop() {
    setWasStopped(true);
    ending.current?.abort();
  }

  return (
    <Panel
      title="Probe"
      actions={
        probe.isPending ? (
          <Button size="sm" icon={<CircleStop />} onClick={stop}>
            Stop probing
          </Button>
        ) : (
          <Button size="sm" icon={<Bug />} aria-disabled={!tool.available} onClick={() => tool.available && setIsConfirming(true)}>
            Probe this tool
          </Button>
        )
      }
    >
      <div aria-live="polite" className="flex min-w-0 flex-col gap-3">
        {probe.isPending ? (
          <Progress tool={tool.name} since={since} />
        ) : wasStopped && probe.isError ? (
          <p className="text-sm text-muted">Stopped. The calls that were made are in the history.</p>
        ) : probe.isError ? (
          <p className="foreign text-sm text-failed">Probe failed: {messageOf(probe.error)}</p>
        ) : probe.data === undefined ? (
          <p className="text-sm text-muted">
            Calls the tool with generated arguments, including edge cases and invalid values, and reports faults.
          </p>
        ) : (
          <Report report={probe.data} />
        )}
      </div>
      <AlertDialog
        open={isConfirming}
        onClose={() => setIsConfirming(false)}
        danger={destroys}
        title={`Probe ${tool.name}?`}
        description={
          destroys
            ? `${confirmationReason(tool)} The tool will be called about 120 times with generated arguments.`
            : 'The tool will be called about 120 times, for up to a minute. Every call is recorded in the history.'
        }
        confirm={destroys ? `Probe ${tool.name}` : 'Probe'}
        onConfirm={start}
      />
    </Panel>
  );
}

function Progress({ tool, since }: { tool: string; since: string }) {
  const { data } = useInfiniteQuery(queries.calls({ tool, actor: 'probe', since }, MAX_COUNTED));
  const calls = data?.pages[0]?.calls.length ?? 0;
  return (
    <p className="tabular flex items-center gap-2 text-sm">
      <Spinner /> {calls >= MAX_COUNTED ? `More than ${MAX_COUNTED} calls` : `${calls} ${calls === 1 ? 'call' : 'calls'}`} so far…
    </p>
  );
}

function Report({ report }: { report: ProbeReport }) {
  const { calls, answered, seed, findings, complete, notes } = report;
  return (
    <>
      <p className="tabular text-sm text-muted">
        {calls} {calls === 1 ? 'call' : 'calls'}, seed {seed}.
      </p>
      {notes.map((note) => (
        <p key={note} className="foreign flex items-start gap-2 text-sm">
          <TriangleAlert className="h-lh w-4 shrink-0 text-degraded" /> {note}
        </p>
      ))}
      {findings.length > 0 ? (
        <ul aria-label="Findings" className="flex min-w-0 flex-col gap-4">
          {findings.map((finding) => (
            <FindingRow key={finding.kind} report={report} finding={finding} />
          ))}
        </ul>
      ) : complete ? (
        <p className="flex items-center gap-2">
          <Check className="size-4 text-ready" /> No findings.
        </p>
      ) : (
        <p>{answered === 0 ? 'Nothing was tested.' : 'No findings in the calls that ran.'}</p>
      )}
    </>
  );
}

function FindingRow({ report, finding }: { report: ProbeReport; finding: Finding }) {
  const save = useSaveCall();
  const { kind, arguments: given, message, call_id: id } = finding;
  return (
    <li className="flex min-w-0 flex-col gap-2">
      <h3 className="font-medium text-failed">{findingInWords(kind)}</h3>
      <p className="foreign text-sm">{message}</p>
      <CodeBlock code={JSON.stringify(given, null, 2)} language="json" label="Smallest failing arguments" wrap />
      <div className="flex flex-wrap items-center gap-3 text-sm">
        <Link href={PAGES.call(id)} className="link font-medium">
          Open call
        </Link>
        {save.isSuccess ? (
          <span role="status">Saved as “{save.data.name}”.</span>
        ) : (
          <Button size="sm" icon={<Save />} pending={save.isPending} onClick={() => save.mutate(checkOfFinding(report, finding))}>
            Save as a check
          </Button>
        )}
        {save.isError ? <span className="foreign text-failed">{messageOf(save.error)}</span> : null}
      </div>
    </li>
  );
}
