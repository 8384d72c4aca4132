'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode, useId } from 'react';
import { TriangleAlert, Unplug } from 'lucide-react';
import { useBrowserValue } from '#components/ui/browser-value.ts';
import { Note } from '#components/ui/Note.tsx';
import { QueryState, Skeleton } from '#components/ui/QueryState.tsx';
import { SavedCalls } from '#components/calls/SavedCalls.tsx';
import { argumentsOf, asSeconds } from '#components/calls/call-words.ts';
import { drafts } from '#components/tool-form/drafts.ts';
import { planAt, planForm } from '#components/tool-form/form-plan.ts';
import { isJsonObject } from '#components/tool-form/json-text.ts';
import { maskSecrets } from '#components/tool-form/secrets.ts';
import { usePayload } from '#components/tool-form/use-payload.ts';
import { hintsOf } from '#components/tools/tool-words.ts';
import { isDestructive } from '#lib/contract/tool-hints.ts';
import { Panel } from '#components/ui/Panel.tsx';
import { toast } from '#components/ui/Sonner.tsx';
import { lazyInBrowser, lazyPart } from '#components/ui/lazy-part.tsx';
import { LazyDefinitionView } from '#components/calls/result/LazyResultView.tsx';
import { Badge } from '#components/ui/Badge.tsx';
import { ServerIcon } from '#components/ui/icons.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { LongText } from '#components/ui/CodeText.tsx';
import { Tooltip } from '#components/ui/Tooltip.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { trackLocation, isNavigating } from '#lib/client/pending-navigation.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { leaveOutAt } from '#lib/contract/replace-secrets.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { cx } from '#components/ui/cx.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { cookieInBrowser, writeCookie } from '#components/ui/write-cookie.ts';
import { RunStrip, ToolCalls, readRuns, withRun } from './ToolCalls.tsx';
import type { LoadedArguments } from './loaded-arguments.ts';
import { EQUAL, FORM_WIDTH_COOKIE, MIN_WIDTH, MAX_WIDTH, parseFormWidth, within } from './form-width.ts';

/* Form and validation are large, so they load after the page frame. */
const PlaygroundForm = lazyInBrowser(
  () => import('./PlaygroundForm.tsx').then((module) => module.PlaygroundForm),
  <div className="min-h-(--form-height)">
    <Skeleton lines={5} />
  </div>,
);
/** Reserved height for the form: its frame plus its fields. */
const FRAME_REM = 28;
const FIELD_REM = 4.75;

const RESULT_HINT = 'Run the tool to see its result, logs and progress.';
/** Loaded later, since it uses zod to read the metadata of the tool. */
const AppHint = lazyPart(async () => (await import('./RunResult.tsx')).AppHint);
/* Most visits begin without a result. */
const loadResult = async () => (await import('./RunResult.tsx')).RunResult;
const RunResult = lazyPart(
  loadResult,
  <Panel title="Result">
    <Skeleton lines={4} />
  </Panel>,
);

const ProbePanel = lazyInBrowser(() => import('./ProbePanel.tsx').then((module) => module.ProbePanel), <ProbePlaceholder />);

const PREFETCH_MS = 2_000;

const GONE = 'This tool was removed. Your input is kept.';

interface PlaygroundProps {
  readonly name: string;
  readonly loaded: LoadedArguments | null;
  readonly callTimeoutMs: number;
  /** Percent of the width. */
  readonly formWidth: number;
}

export function Playground({ name, ...rest }: PlaygroundProps) {
  const { data: tool, error, refetch, isFetching } = useQuery(queries.tool(name));
  if (tool === undefined) return <QueryState query={{ error, refetch, isFetching }} what={name} lines={10} />;
  const isGone = hasProblemCode(error, 'tool_not_found');
  return <OpenTool key={name} tool={isGone ? { ...tool, available: false, unavailable_reason: GONE } : tool} {...rest} />;
}

function OpenTool({ tool, loaded, callTimeoutMs, formWidth }: Omit<PlaygroundProps, 'name'> & { readonly tool: Tool }) {
  const client = useQueryClient();
  const schemaText = JSON.stringify(tool.parameters);
  // The tool is refetched often; the form is planned again only if its schema changed.
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
  const storedReplay = useDraft(tool.name, 'replay');
  const [edited, setEdited] = useState(loaded?.replayOf);
  const replayOf = edited === undefined ? storedReplay : edited;
  const [chosen, setChosen] = useState<{ id: string; sent: unknown } | null>(null);
  // The last call of this tab, restored on return.
  const storedId = useDraft(tool.name, 'call');
  const lastId = loaded === null ? storedId : null;
  const last = useMemo(() => (lastId === null ? null : { id: lastId, sent: undefined }), [lastId]);
  const shown = chosen ?? last;
  const storedTimeout = useDraft(tool.name, 'timeout');
  const [chosenTimeout, setChosenTimeout] = useState(() => (loaded?.timeoutMs === undefined ? null : asSeconds(loaded.timeoutMs)));
  const timeout = chosenTimeout ?? storedTimeout ?? '';
  const runsText = useDraft(tool.name, 'runs');
  const runs = useMemo(() => readRuns(runsText), [runsText]);
  const result = useRef<HTMLDivElement>(null);
  const style: Readonly<Record<string, string>> = {
    '--form-height': `${FRAME_REM + FIELD_REM * planAt(form, {}).fields.length}rem`,
  };

  useEffect(() => {
    if (loaded === null) return;
    drafts.write(tool.name, 'replay', loaded.replayOf);
    if (loaded.timeoutMs !== undefined) storeTimeout(tool.name, asSeconds(loaded.timeoutMs));
    // If the person already navigated away, replacing the address would drop that page.
    if (!isNavigating() && location.pathname === PAGES.tool(tool.name)) window.history.replaceState(null, '', PAGES.tool(tool.name));
  }, [loaded, tool.name]);

  // Loaded before the first run, so that a result is shown even if the server stops meanwhile.
  useEffect(() => {
    const timer = setTimeout(() => void loadResult().catch(() => undefined), PREFETCH_MS);
    return () => clearTimeout(timer);
  }, []);

  function forgetReplay() {
    setEdited(null);
    drafts.write(tool.name, 'replay', null);
  }

  function setTimeoutText(text: string) {
    setChosenTimeout(text);
    storeTimeout(tool.name, text);
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
    latestChoice.current = null;
    forgetReplay();
    state.replace(one.arguments);
    setRedacted(one.left_out);
    setSaved(one.id);
    setTimeoutText(asSeconds(one.timeout_ms));
  }

  /** The call chosen last: responses may arrive out of order. */
  const latestChoice = useRef<string | null>(null);

  async function choose(call: Call) {
    latestChoice.current = call.id;
    const isStillHere = trackLocation();
    show(call.id, undefined);
    try {
      const complete =
        call.truncated === true ? await client.fetchQuery({ ...queries.call(call.id), staleTime: Number.POSITIVE_INFINITY }) : call;
      const args = argumentsOf(complete);
      if (args === null || latestChoice.current !== call.id || !isStillHere()) return;
      forgetReplay();
      state.replace(leaveOutAt(args, complete.redacted));
      setRedacted(complete.redacted);
      show(complete.id, args);
    } catch (problem) {
      toast('failed', messageOf(problem));
    }
  }

  return (
    <Panes
      formWidth={formWidth}
      style={style}
      head={
        <>
          <ToolHead tool={tool} />
          {/* In one row while they are closed. */}
          <div className="flex min-w-0 flex-wrap items-start gap-2 *:open:basis-full">
            <ToolWarnings warnings={tool.warnings} />
            <ToolDefinition tool={tool} />
          </div>
        </>
      }
      form={
        <PlaygroundForm
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
            // Not smooth: fields that load meanwhile would shift the target.
            if (window.matchMedia('(max-width: 1023px)').matches) result.current?.scrollIntoView({ block: 'start' });
          }}
        />
      }
      result={
        <>
          <div ref={result} className="flex min-w-0 scroll-mt-1 flex-col gap-3">
            <RunStrip runs={runs} shown={shown?.id ?? null} onShow={(id) => show(id, undefined)} />
            {shown === null ? (
              <Panel title="Result">
                <p className="py-6 text-center text-sm text-muted">
                  {tool.meta === undefined ? RESULT_HINT : <AppHint meta={tool.meta} otherwise={RESULT_HINT} />}
                </p>
              </Panel>
            ) : (
              <RunResult id={shown.id} />
            )}
          </div>
          <Panel title="Recent calls" flush>
            <ToolCalls tool={tool.name} open={shown?.id ?? null} onChoose={(call) => void choose(call)} />
          </Panel>
          <SavedCalls
            tool={tool.name}
            available={tool.available}
            destructive={isDestructive(tool)}
            present={state.problem === null ? state.payload : null}
            shown={maskSecrets(state.payload, form)}
            result={shownCall?.status === 'succeeded' ? shownCall.result : undefined}
            open={saved}
            timeout={timeout}
            onLoad={load}
            onRan={(_, id) => started(id, undefined)}
          />
          <ProbePanel key={tool.name} tool={tool} />
        </>
      }
    />
  );
}

function storeTimeout(tool: string, text: string): void {
  drafts.write(tool, 'timeout', text === '' ? null : text);
}

/** Null on the server and while hydrating. */
function useDraft(tool: string, kind: 'replay' | 'call' | 'timeout' | 'runs'): string | null {
  return useBrowserValue(() => drafts.read(tool, kind), null);
}

function ProbePlaceholder() {
  if (!useMay('tools.probe')) return null;
  return (
    <Panel title="Probe" flush>
      <Skeleton lines={2} />
    </Panel>
  );
}

function ToolHead({ tool }: { tool: Tool }) {
  return (
    <header className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="flex min-w-0 items-center gap-2 text-xl font-semibold [overflow-wrap:anywhere]">
          <ServerIcon icons={tool.icons} className="size-6" />
          {tool.name}
        </h1>
        <Badge>{tool.label}</Badge>
        {hintsOf(tool.annotations).map((hint) => (
          <Tooltip key={hint.word} text={hint.means}>
            <button type="button" aria-label={`${hint.word}. ${hint.means}`} className="inline-flex cursor-default rounded-sm">
              <Badge {...(hint.danger ? { tone: 'degraded' as const, icon: <TriangleAlert /> } : {})}>{hint.word}</Badge>
            </button>
          </Tooltip>
        ))}
      </div>
      {tool.description.trim() === '' ? <p className="text-muted italic">No description.</p> : <LongText text={tool.description} />}
      <p className="tabular text-sm text-muted">
        From{' '}
        <ListLink href={PAGES.extension(tool.extension)} className="link font-medium text-fg">
          {tool.extension}
        </ListLink>
        , revision {tool.revision}
      </p>
      {tool.available ? <NewerFailed tool={tool} /> : null}
      {tool.available ? null : (
        <Note tone="failed" icon={<Unplug />}>
          <span className="font-medium text-failed">Unavailable.</span> {tool.unavailable_reason ?? 'Its extension is not serving it.'}
        </Note>
      )}
    </header>
  );
}

function ToolWarnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <details className="min-w-0 rounded border bg-panel text-sm">
      <summary className="focus-inset rounded px-3 py-2 text-degraded">
        <TriangleAlert className="mr-2 inline size-4 align-[-3px]" />
        {warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`} for the author
      </summary>
      <ul className="flex list-disc flex-col gap-1 border-t py-2 pr-3 pl-8">
        {warnings.map((warning) => (
          <li key={warning} className="foreign">
            {warning}
          </li>
        ))}
      </ul>
    </details>
  );
}

function NewerFailed({ tool }: { tool: Tool }) {
  const { data } = useQuery(queries.extensions());
  const extension = data?.extensions.find((each) => each.id === tool.extension);
  if (extension?.state !== 'degraded') return null;
  return (
    <Note tone="degraded">
      Revision {extension.revision ?? '–'} failed; revision {extension.serving_revision ?? '–'} keeps serving.{' '}
      <ListLink href={PAGES.extension(extension.id)} className="link font-medium">
        See why
      </ListLink>
    </Note>
  );
}

function ToolDefinition({ tool }: { tool: Tool }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="min-w-0 rounded border bg-panel text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="focus-inset rounded px-3 py-2">
        Definition <span className="text-muted">· what the agent sees, and the schema</span>
      </summary>
      {open ? (
        <div className="min-w-0 border-t p-3">
          <LazyDefinitionView tool={tool} />
        </div>
      ) : null}
    </details>
  );
}

/*
 * Form and result side by side with a separator. Libraries for this give every pane its own scrolling; here the page scrolls, so
 * that the run bar sticks to the window and focused fields stay clear of it.
 */

const STEP = 2;
const LARGE_STEP = 10;

interface PanesProps {
  /** Width of the form in percent, as the server read it. */
  readonly formWidth: number;
  readonly style: Readonly<Record<string, string>>;
  readonly head: ReactNode;
  readonly form: ReactNode;
  readonly result: ReactNode;
}

function Panes({ formWidth, style, head, form, result }: PanesProps) {
  const id = useId();
  const [width, setWidth] = useState(() => parseFormWidth(cookieInBrowser(FORM_WIDTH_COOKIE) ?? String(formWidth)));
  const columns: Readonly<Record<string, string>> = { '--form': `${width}fr`, '--result': `${100 - width}fr` };
  return (
    <div
      data-runs
      style={{ ...style, ...columns }}
      className="flex min-w-0 flex-col gap-4 lg:grid lg:grid-cols-[minmax(18rem,var(--form))_auto_minmax(18rem,var(--result))] lg:items-start lg:gap-x-0 lg:gap-y-4"
    >
      <div className="flex min-w-0 flex-col gap-4 lg:col-span-3">{head}</div>
      {/* Below lg there is one column, so that the sticky run bar reaches the bottom of the window. */}
      <div id={id} className="min-w-0 max-lg:contents">
        {form}
      </div>
      <Separator width={width} controls={id} onMove={setWidth} />
      <div className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-18">{result}</div>
    </div>
  );
}

function Separator({ width, controls, onMove }: { width: number; controls: string; onMove: (width: number) => void }) {
  const [isDragged, setDragged] = useState(false);
  const line = useRef<HTMLDivElement>(null);

  function saveWidth(next: number) {
    onMove(within(next));
    writeCookie(FORM_WIDTH_COOKIE, within(next) === EQUAL ? null : String(within(next)));
  }

  function widthAt(event: PointerEvent): number {
    const around = line.current?.parentElement?.getBoundingClientRect();
    return around === undefined ? width : ((event.clientX - around.left) / Math.max(1, around.width)) * 100;
  }

  function moveByKey(event: KeyboardEvent) {
    const step = event.shiftKey ? LARGE_STEP : STEP;
    const next = { ArrowLeft: width - step, ArrowRight: width + step, Home: MIN_WIDTH, End: MAX_WIDTH, Enter: EQUAL }[pressedKey(event)];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    saveWidth(next);
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a separator that moves is a control
    <div
      ref={line}
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the form"
      aria-controls={controls}
      aria-valuenow={width}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      aria-valuetext={`${width}%`}
      title="Drag, or use the arrow keys. Double-click for equal widths."
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
      tabIndex={0}
      onKeyDown={moveByKey}
      onDoubleClick={() => saveWidth(EQUAL)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragged(true);
      }}
      onPointerMove={(event) => isDragged && onMove(within(widthAt(event)))}
      onPointerUp={(event) => {
        if (isDragged) saveWidth(widthAt(event));
        setDragged(false);
      }}
      onPointerCancel={() => setDragged(false)}
      className="group flex w-6 cursor-col-resize touch-none justify-center self-stretch rounded-sm select-none max-lg:hidden"
    >
      <span
        className={cx(
          'sticky top-[50dvh] h-10 w-1 self-start rounded-full bg-line-strong transition-colors group-hover:bg-accent group-focus-visible:bg-accent',
          isDragged && 'bg-accent',
        )}
      />
    </div>
  );
}
