import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Registry, Histogram, Gauge } from 'prom-client';
import { CHANNEL_STATES } from '#lib/contract/channel.ts';
import type { Channel } from '#lib/contract/channel.ts';
import { EXTENSION_STATES } from '#lib/contract/extension.ts';
import type { Extension, ExtensionState } from '#lib/contract/extension.ts';
import type { GroupCounts } from '#lib/contract/failure-group.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { SpanCounts } from '#lib/contract/tracing.ts';
import type { EventLog } from '#lib/registry/event-log.ts';
import { residentBytes } from '#lib/runtime/memory-watch.ts';
import type { RefusedCall } from '#lib/calls/call-end.ts';
import { CALL_SOURCES, CALL_STATUSES, type CallSource, type CallStatus } from '#lib/contract/call.ts';
import type { Kind } from './retention.ts';

/** The host's metrics, in their own registry: counted on events, or read during a scrape. */
export interface HostMetrics {
  readonly registry: Registry;
  callEnded(call: EndedCall): void;
  callRefused(reason: RefusedCall): void;
  extensionCrashed(id: string): void;
  /** In the Prometheus text format. */
  text(): Promise<string>;
  close(): void;
}

export interface HostMetricsOptions {
  readonly events: Pick<EventLog, 'subscribeOwn'>;
  /** By extension id: excluded and disabled ones were not loaded. */
  stateOf(id: string): ExtensionState | null;
  now(): Promise<HostState>;
}

/** The state of the host during a scrape. */
export interface HostState {
  readonly snapshotVersion: number;
  readonly extensions: readonly Extension[];
  readonly tools: readonly Tool[];
  readonly channels: readonly Channel[];
  readonly failures: GroupCounts;
  readonly calls: { readonly inFlight: number; readonly waiting: number };
  readonly removed: Readonly<Record<Kind, number>>;
  /** Null when tracing is off. */
  readonly spans: SpanCounts | null;
}

const MOST_CRASHED = 1_000;
const LOADS = { 'extension.loaded': 'loaded', 'extension.failed': 'failed', 'extension.removed': 'removed' } as const;

export function createHostMetrics({ events, stateOf, now }: HostMetricsOptions): HostMetrics {
  const registry = new Registry();
  const calls = createCallMetrics({ registry, tools: () => seen().tools.map(({ name }) => name) });
  /** By extension id; the extension may be removed. */
  const crashes = new Map<string, number>();
  let state: HostState | null = null;
  /** All metrics of a scrape are from one state. */
  const seen = (): HostState => {
    if (state === null) throw new Error('Metrics are read by text().');
    return state;
  };

  addGauge(registry, 'switchboard_calls_running', 'Running and queued calls.', () => seen().calls.inFlight);
  addGauge(registry, 'switchboard_calls_waiting', 'Queued calls.', () => seen().calls.waiting);
  const loads = new Counter({
    name: 'switchboard_extension_loads_total',
    help: 'Loads of extensions since the start, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of Object.values(LOADS)) loads.inc({ outcome }, 0);
  addCounterBy(registry, 'kind', 'switchboard_retention_removed_total', 'Rows removed by retention since the start, by kind.', () =>
    Object.entries(seen().removed),
  );
  addGauge(registry, 'switchboard_snapshot_version', 'Version of the set of extensions.', () => seen().snapshotVersion);
  addGaugeBy(registry, 'state', 'switchboard_extensions', 'Extensions by state.', () =>
    countBy(
      EXTENSION_STATES,
      seen().extensions.map((one) => one.state),
    ),
  );
  addGaugeBy(registry, 'available', 'switchboard_tools', 'Tools, by availability.', () =>
    countBy(
      ['true', 'false'],
      seen().tools.map((one) => String(one.available)),
    ),
  );
  addGauge(registry, 'switchboard_extension_processes', 'Running extension processes.', () => processesOf(seen().extensions).length);
  addGaugeBy(registry, 'extension', 'switchboard_extension_memory_bytes', 'Resident memory of the process of an extension.', () =>
    memoryOf(seen().extensions),
  );
  addCounterBy(
    registry,
    'extension',
    'switchboard_extension_restarts_total',
    'Unexpected exits of extension processes since the start.',
    () => seen().extensions.map(({ id }) => [id, crashes.get(id) ?? 0] as const),
  );
  addGaugeBy(registry, 'status', 'switchboard_failures', 'Failure groups, by status.', () => Object.entries(seen().failures));
  addGaugeBy(registry, 'state', 'switchboard_channels', 'Channels by state.', () =>
    countBy(
      CHANNEL_STATES,
      seen().channels.map((one) => one.state),
    ),
  );
  addGaugeBy(registry, 'channel', 'switchboard_messages_queued', 'Queued outbound messages.', () =>
    seen().channels.map(({ name, queued }) => [name, queued] as const),
  );
  addGaugeBy(registry, 'channel', 'switchboard_messages_failed', 'Dead letters.', () =>
    seen().channels.map(({ name, failed }) => [name, failed] as const),
  );
  addCounterBy(registry, 'outcome', 'switchboard_spans_total', 'Spans since the start, by outcome.', () =>
    Object.entries<number>({ ...seen().spans }),
  );
  const host = createProcessMetrics(registry);

  const leave = events.subscribeOwn(
    ({ type, data: { extension = '' } }) => {
      if (type === 'extension.loaded' && stateOf(extension) !== 'ready') return;
      if (type === 'extension.loaded' || type === 'extension.failed' || type === 'extension.removed') loads.inc({ outcome: LOADS[type] });
    },
    ['extension.loaded', 'extension.failed', 'extension.removed'],
  );

  return {
    registry,
    callEnded: calls.ended,
    callRefused: calls.refused,
    extensionCrashed(id) {
      crashes.set(id, (crashes.get(id) ?? 0) + 1);
      const [first] = crashes.keys();
      if (crashes.size > MOST_CRASHED && first !== undefined) crashes.delete(first);
    },
    async text() {
      state = await now();
      return registry.metrics();
    },
    close() {
      leave();
      host.close();
    },
  };
}

function processesOf(extensions: readonly Extension[]): { readonly id: string; readonly pid: number }[] {
  return extensions.flatMap(({ id, process: { pid } }) => (pid === null ? [] : [{ id, pid }]));
}

function memoryOf(extensions: readonly Extension[]): LabelledValues {
  return processesOf(extensions).flatMap(({ id, pid }) => {
    const bytes = residentBytes(pid);
    return bytes === null ? [] : [[id, bytes] as const];
  });
}

/** Emits all of `values`, so that a series does not vanish at zero. */
function countBy(values: readonly string[], found: readonly string[]): LabelledValues {
  return values.map((value) => [value, found.filter((one) => one === value).length] as const);
}

type LoopDelay = ReturnType<typeof monitorEventLoopDelay>;

const RESOLUTION_MS = 10;
const QUANTILES = [0.5, 0.9, 0.99];
const SPAN_MS = 10_000;
/** Spans of the last minute that ended. */
const SPANS = 6;

/**
 * The host's own process. Its event loop is measured from the first scrape on, so it costs nothing without scrapes; and
 * by the clock, not between scrapes, because one reader would otherwise reset the values of another.
 */
interface ProcessMetrics {
  close(): void;
}

export function createProcessMetrics(registry: Registry): ProcessMetrics {
  let delay: LoopDelay | null = null;
  let turning: NodeJS.Timeout | undefined;
  let spans: (readonly number[])[] = [];

  function watch(): LoopDelay {
    const watched = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    watched.enable();
    turning = setInterval(() => {
      if (watched.count > 0) spans = [...spans.slice(1 - SPANS), lagOf(watched)];
      watched.reset();
    }, SPAN_MS).unref();
    return watched;
  }

  /** The maximum of the last minute per quantile; empty at the first scrape. */
  function lag(): [string, number][] {
    delay ??= watch();
    const seen = delay.count === 0 ? spans : [...spans, lagOf(delay)];
    if (seen.length === 0) return [];
    return QUANTILES.map((quantile, at) => [String(quantile), Math.max(...seen.map((span) => span[at] ?? 0))]);
  }

  addGaugeBy(registry, 'quantile', 'switchboard_event_loop_lag_seconds', 'Event loop lag, the worst ten seconds of the last minute.', lag);
  addGauge(registry, 'process_resident_memory_bytes', 'Resident memory of the host.', () => process.memoryUsage.rss());
  addGauge(registry, 'nodejs_heap_used_bytes', 'Used part of the heap of the host.', () => process.memoryUsage().heapUsed);
  addGauge(registry, 'process_start_time_seconds', 'Start of the host, in seconds since 1970.', () => performance.timeOrigin / 1_000);
  addCounter(registry, 'process_cpu_seconds_total', 'CPU time of the host.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  });

  return {
    close() {
      clearInterval(turning);
      delay?.disable();
    },
  };
}

/** In seconds, by quantile. */
function lagOf(delay: LoopDelay): number[] {
  return QUANTILES.map((quantile) => Math.max(0, delay.percentile(quantile * 100) / 1_000_000 - RESOLUTION_MS) / 1_000);
}

/**
 * Counts calls since the start by tool, status and source, with their durations. What can go wrong:
 * - tools with ever new names would fill the memory here and in Prometheus, so names beyond the first
 *   thousand are counted together;
 * - `increase()` misses the call that starts a series, so every series of a tool starts at 0: with each source seen so
 *   far, for every tool, unless there are very many.
 */
interface CallMetrics {
  ended(call: EndedCall): void;
  refused(reason: RefusedCall): void;
}

interface EndedCall {
  readonly tool: string;
  readonly status: CallStatus;
  readonly source: CallSource;
  readonly durationMs: number;
}

interface CallMetricsOptions {
  readonly registry: Registry;
  /** Names of the current tools. */
  tools(): readonly string[];
  readonly mostNames?: number;
}

const MOST_TOOL_NAMES = 1_000;
export const OTHER_TOOLS = '(other)';
/** With more tools than this, tools without calls are omitted. */
export const MOST_UNCALLED = 200;
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const ENDS = CALL_STATUSES.filter((status) => status !== 'running');
const REASONS: readonly RefusedCall[] = ['too_many_calls', 'storage'];

export function createCallMetrics({ registry, tools, mostNames = MOST_TOOL_NAMES }: CallMetricsOptions): CallMetrics {
  const registers = [registry];
  const called = new Set<string>();
  const sources = new Set<CallSource>();
  let uncalled: readonly string[] = [];

  const calls = new Counter({
    name: 'switchboard_calls_total',
    help: 'Finished calls since the start.',
    labelNames: ['tool', 'status', 'source'],
    registers,
    collect() {
      for (const labels of seriesOf(uncalled)) if (!called.has(labels.tool)) calls.remove(labels);
      const known = tools();
      uncalled = known.length > MOST_UNCALLED ? [] : known.filter((name) => !called.has(name));
      for (const labels of seriesOf([...called, ...uncalled])) calls.inc(labels, 0);
    },
  });
  const refusals = new Counter({
    name: 'switchboard_calls_refused_total',
    help: 'Rejected calls since the start, which are not recorded, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const durations = new Histogram({
    name: 'switchboard_call_duration_seconds',
    help: 'Call duration, including the time in the queue.',
    labelNames: ['tool'],
    buckets: BUCKETS,
    registers,
  });
  for (const reason of REASONS) refusals.inc({ reason }, 0);

  function seriesOf(names: readonly string[]): { tool: string; status: CallStatus; source: CallSource }[] {
    const kinds = CALL_SOURCES.filter((source) => sources.has(source)).flatMap((source) => ENDS.map((status) => ({ status, source })));
    return names.flatMap((tool) => kinds.map((kind) => ({ tool, ...kind })));
  }

  return {
    ended({ tool: name, status, source, durationMs }) {
      const tool = called.has(name) || called.size < mostNames ? name : OTHER_TOOLS;
      called.add(tool);
      sources.add(source);
      calls.inc({ tool, status, source });
      durations.observe({ tool }, durationMs / 1_000);
    },
    refused: (reason) => refusals.inc({ reason }),
  };
}

/** Label values, each with its metric value. */
type LabelledValues = Iterable<readonly [string, number]>;

/** Metrics read during a scrape. */
function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  const collect = function (this: Gauge): void {
    this.set(read());
  };
  void new Gauge({ name, help, registers: [registry], collect });
}

function addGaugeBy(registry: Registry, label: string, name: string, help: string, read: () => LabelledValues): void {
  const collect = function (this: Gauge): void {
    this.reset();
    for (const [value, number] of read()) this.labels(value).set(number);
  };
  void new Gauge({ name, help, labelNames: [label], registers: [registry], collect });
}

/** @param read numbers that never decrease */
function addCounter(registry: Registry, name: string, help: string, read: () => number): void {
  const collect = function (this: Counter): void {
    this.reset();
    this.inc(read());
  };
  void new Counter({ name, help, registers: [registry], collect });
}

function addCounterBy(registry: Registry, label: string, name: string, help: string, read: () => LabelledValues): void {
  const collect = function (this: Counter): void {
    this.reset();
    for (const [value, number] of read()) this.labels(value).inc(number);
  };
  void new Counter({ name, help, labelNames: [label], registers: [registry], collect });
}
