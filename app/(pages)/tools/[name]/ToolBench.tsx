'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { argumentsOf } from '#components/calls/call-words.ts';
import { readRuns, withRun } from '#components/calls/run-list.ts';
import { RunStrip } from '#components/calls/RunStrip.tsx';
import { SavedCalls } from '#components/calls/SavedCalls.tsx';
import { ToolCalls } from '#components/calls/ToolCalls.tsx';
import { ToolDefinition } from '#components/calls/ToolDefinition.tsx';
import { drafts } from '#components/tool-form/drafts.ts';
import { isJsonObject } from '#components/tool-form/json-text.ts';
import { planAt, planForm } from '#components/tool-form/form-plan.ts';
import { maskSecrets } from '#components/tool-form/secrets.ts';
import { usePayload } from '#components/tool-form/use-payload.ts';
import { ProbeRoom } from '#components/tools/ProbeRoom.tsx';
import { ToolHead } from '#components/tools/ToolHead.tsx';
import { isDestructive } from '#components/tools/tool-words.ts';
import { ToolSidebar } from '#components/tools/ToolSidebar.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { toast } from '#components/ui/Sonner.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { isLeaving, beginHere } from '#lib/client/leaving.ts';
import { queries } from '#lib/client/queries.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import type { Call } from '#lib/contract/call.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { leaveOutAt } from '#lib/contract/replace-secrets.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { LoadedArguments } from './loaded-arguments.ts';
import { RunResult } from './RunResult.tsx';
import { lazyInBrowser } from '#components/ui/lazy-part.tsx';

/* The form, its library and the checks are large: only this page loads them, and only after its frame stands. */
const BenchForm = lazyInBrowser(
  () => import('./BenchForm.tsx').then((module) => module.BenchForm),
  <div className="min-h-(--form-height)">
    <Skeleton lines={5} label="Preparing the form…" />
  </div>,
);
/** Room for the form until it is there, so that nothing below it jumps: its frame, and each of its fields. */
const FRAME_REM = 28;
const FIELD_REM = 4.75;

const ProbePanel = lazyInBrowser(() => import('#components/tools/ProbePanel.tsx').then((module) => module.ProbePanel), <ProbeRoom />);

const GONE = 'There is no tool of this name any more: its extension is gone, or has given it up. What was typed is kept.';

export interface ToolBenchProps {
  readonly name: string;
  readonly loaded: LoadedArguments | null;
  /** How long a call may take of which neither anybody nor its tool says anything. */
  readonly callTimeoutMs: number;
}

/** The place to try one tool: the list at the left, its form in the middle, what came of it at the right. */
export function ToolBench({ name, loaded, callTimeoutMs }: ToolBenchProps) {
  const { data: tool, error, refetch, isFetching } = useQuery(queries.tool(name));
  return (
    <div className="grid min-w-0 gap-x-6 gap-y-5 xl:grid-cols-[15rem_minmax(0,1fr)]">
      <ToolSidebar open={name} />
      {tool === undefined ? (
        <ErrorState title={`${name} could not be read`} detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <Bench
          key={name}
          tool={hasProblemCode(error, 'tool_not_found') ? { ...tool, available: false, unavailable_reason: GONE } : tool}
          loaded={loaded}
          callTimeoutMs={callTimeoutMs}
        />
      )}
    </div>
  );
}

function Bench({ tool, loaded, callTimeoutMs }: Omit<ToolBenchProps, 'name'> & { readonly tool: Tool }) {
  const client = useQueryClient();
  const schemaText = JSON.stringify(tool.parameters);
  // The tool is read again and again; the form is planned anew only when the schema is another.
  const { form, parameters } = useMemo(() => {
    const parsed = parseExactJson(schemaText);
    const same = isJsonObject(parsed) ? parsed : {};
    return { form: planForm(same), parameters: same };
  }, [schemaText]);
  const [first] = useState(() => (loaded === null ? null : leaveOutAt(loaded.arguments, loaded.redacted)));
  const state = usePayload(tool.name, form, first);
  const [redacted, setRedacted] = useState<readonly string[]>(loaded?.redacted ?? []);
  const [saved, setSaved] = useState(loaded?.saved ?? null);
  const mayReplay = useMay('calls.replay');
  const keptReplay = useSyncExternalStore(
    nothing,
    () => drafts.read(tool.name, 'replay'),
    () => null,
  );
  const [edited, setEdited] = useState(loaded?.replayOf);
  const replayOf = edited === undefined ? keptReplay : edited;
  const [chosen, setChosen] = useState<{ id: string; sent: unknown } | null>(null);
  // Who comes back finds the run he left; the server does not know of it.
  const lastId = useSyncExternalStore(
    nothing,
    () => (loaded === null ? drafts.read(tool.name, 'call') : null),
    () => null,
  );
  const last = useMemo(() => (lastId === null ? null : { id: lastId, sent: undefined }), [lastId]);
  const shown = chosen ?? last;
  const keptTimeout = useSyncExternalStore(
    nothing,
    () => drafts.read(tool.name, 'timeout'),
    () => null,
  );
  const [chosenTimeout, setChosenTimeout] = useState(() => (loaded?.timeoutMs === undefined ? null : asSeconds(loaded.timeoutMs)));
  const timeout = chosenTimeout ?? keptTimeout ?? '';
  const runsText = useSyncExternalStore(
    nothing,
    () => drafts.read(tool.name, 'runs'),
    () => null,
  );
  const runs = useMemo(() => readRuns(runsText), [runsText]);
  const result = useRef<HTMLDivElement>(null);
  const room: Readonly<Record<string, string>> = {
    '--form-height': `${FRAME_REM + FIELD_REM * planAt(form, {}).fields.length}rem`,
  };

  useEffect(() => {
    if (loaded === null) return;
    drafts.write(tool.name, 'replay', loaded.replayOf);
    if (loaded.timeoutMs !== undefined) keepTimeout(tool.name, asSeconds(loaded.timeoutMs));
    // Another tool may have been chosen while this one was loading: to write the address would drop its page.
    if (!isLeaving() && location.pathname === PAGES.tool(tool.name)) window.history.replaceState(null, '', PAGES.tool(tool.name));
  }, [loaded, tool.name]);

  function forgetReplay() {
    setEdited(null);
    drafts.write(tool.name, 'replay', null);
  }

  function setTimeoutText(text: string) {
    setChosenTimeout(text);
    keepTimeout(tool.name, text);
  }

  function show(id: string, sent: unknown) {
    setChosen({ id, sent });
    drafts.write(tool.name, 'call', id);
  }

  function started(id: string, sent: unknown) {
    drafts.write(tool.name, 'runs', JSON.stringify(withRun(readRuns(drafts.read(tool.name, 'runs')), id)));
    show(id, sent);
  }

  const { data: shownCall } = useQuery({ ...queries.call(shown?.id ?? ''), enabled: shown !== null });

  function load(one: SavedCall) {
    wanted.current = null;
    forgetReplay();
    state.replace(one.arguments);
    setRedacted(one.left_out);
    setSaved(one.id);
    setTimeoutText(asSeconds(one.timeout_ms));
  }

  /** The call that was chosen last: the arguments of an earlier one may come later. */
  const wanted = useRef<string | null>(null);

  async function choose(call: Call) {
    wanted.current = call.id;
    const isStillHere = beginHere();
    show(call.id, undefined);
    try {
      const whole =
        call.truncated === true ? await client.fetchQuery({ ...queries.call(call.id), staleTime: Number.POSITIVE_INFINITY }) : call;
      const args = argumentsOf(whole);
      if (args === null || wanted.current !== call.id || !isStillHere()) return;
      forgetReplay();
      state.replace(leaveOutAt(args, whole.redacted));
      setRedacted(whole.redacted);
      show(whole.id, args);
    } catch (problem) {
      toast('failed', messageOf(problem));
    }
  }

  return (
    <div data-runs style={room} className="flex min-w-0 flex-col gap-5 lg:grid lg:grid-cols-2 lg:items-start">
      {/* Below lg everything is one column, so that Run, which comes last in it, sticks to the foot of the window. */}
      <div className="flex min-w-0 flex-col gap-5 max-lg:contents">
        <ToolHead tool={tool} />
        <ToolDefinition tool={tool} />
        <BenchForm
          tool={tool}
          parameters={parameters}
          form={form}
          state={state}
          timeoutMs={tool.timeout_ms ?? callTimeoutMs}
          timeout={timeout}
          onTimeout={setTimeoutText}
          redacted={redacted}
          last={shown}
          replayOf={mayReplay ? replayOf : null}
          onForgetReplay={forgetReplay}
          onStarted={(call, sent) => {
            started(call.id, sent);
            setRedacted([]);
            // At once: on a slow way there the fields that come by grow to what they are, and it would end among them.
            if (window.matchMedia('(max-width: 1023px)').matches) result.current?.scrollIntoView({ block: 'start' });
          }}
        />
      </div>
      <div className="flex min-w-0 flex-col gap-5 lg:sticky lg:top-18">
        <div ref={result} className="flex min-w-0 scroll-mt-1 flex-col gap-3">
          <RunStrip runs={runs} shown={shown?.id ?? null} onShow={(id) => show(id, undefined)} />
          <RunResult id={shown?.id ?? null} />
        </div>
        <SavedCalls
          tool={tool.name}
          available={tool.available}
          destructive={isDestructive(tool)}
          present={state.problem === null ? state.payload : null}
          shown={asShown(maskSecrets(state.payload, form))}
          result={shownCall?.status === 'succeeded' ? shownCall.result : undefined}
          open={saved}
          timeout={timeout}
          onLoad={load}
          onRan={(_, id) => started(id, undefined)}
        />
        <ProbePanel key={tool.name} tool={tool} />
        <Panel title="Recent calls" flush>
          <ToolCalls tool={tool.name} open={shown?.id ?? null} onChoose={(call) => void choose(call)} />
        </Panel>
      </div>
    </div>
  );
}

function asSeconds(timeoutMs: number | null): string {
  return timeoutMs === null ? '' : String(timeoutMs / 1_000);
}

function keepTimeout(tool: string, text: string): void {
  drafts.write(tool, 'timeout', text === '' ? null : text);
}

function asShown(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

function nothing(): () => void {
  return () => undefined;
}
