import { Counter, Registry } from 'prom-client';
import { CHANNEL_STATES } from '#lib/contract/channel.ts';
import type { Channel } from '#lib/contract/channel.ts';
import { EXTENSION_STATES } from '#lib/contract/extension.ts';
import type { Extension, ExtensionState } from '#lib/contract/extension.ts';
import type { GroupCounts } from '#lib/contract/failure-group.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { SpanCounts } from '#lib/contract/tracing.ts';
import type { EventLog } from '#lib/registry/event-log.ts';
import { residentBytes } from '#lib/runtime/memory-watch.ts';
import type { RefusedCall } from '#lib/calls/call-outcomes.ts';
import { createCallMetrics } from './call-metrics.ts';
import type { EndedCall } from './call-metrics.ts';
import { addCounterBy, addGauge, addGaugeBy } from './collected-metrics.ts';
import type { LabelledValues } from './collected-metrics.ts';
import { createProcessMetrics } from './process-metrics.ts';
import type { Kind } from './retention.ts';

/** The metrics of the host, in a registry of its own: counted as it happens, or read when they are scraped. */
export interface HostMetrics {
  readonly registry: Registry;
  callEnded(call: EndedCall): void;
  callRefused(reason: RefusedCall): void;
  extensionCrashed(id: string): void;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  close(): void;
}

export interface HostMetricsOptions {
  readonly events: Pick<EventLog, 'subscribe'>;
  /** Of an extension by its id: one that is excluded or disabled was not loaded. */
  stateOf(id: string): ExtensionState | null;
  now(): HostNow;
}

/** The state of the host during a scrape. */
export interface HostNow {
  readonly snapshotVersion: number;
  readonly extensions: readonly Extension[];
  readonly tools: readonly Tool[];
  readonly channels: readonly Channel[];
  readonly failures: GroupCounts;
  readonly calls: { readonly inFlight: number; readonly waiting: number };
  readonly removed: Readonly<Record<Kind, number>>;
  /** Null where nobody collects them. */
  readonly spans: SpanCounts | null;
}

const MOST_CRASHED = 1_000;
const LOADS = { 'extension.loaded': 'loaded', 'extension.failed': 'failed', 'extension.removed': 'removed' } as const;

export function createHostMetrics({ events, stateOf, now }: HostMetricsOptions): HostMetrics {
  const registry = new Registry();
  const calls = createCallMetrics({ registry, tools: () => seen().tools.map(({ name }) => name) });
  /** By the id of the extension, which may be gone. */
  const crashes = new Map<string, number>();
  let state: HostNow | null = null;
  /** All metrics of a scrape are collected in one step, from one state. */
  const seen = (): HostNow => (state ??= now());

  addGauge(
    registry,
    'switchboard_calls_running',
    'Calls that have not ended, those that wait for their turn included.',
    () => seen().calls.inFlight,
  );
  addGauge(registry, 'switchboard_calls_waiting', 'Calls that wait for their turn.', () => seen().calls.waiting);
  const loads = new Counter({
    name: 'switchboard_extension_loads_total',
    help: 'Loads of extensions since the start, by how they came out.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of Object.values(LOADS)) loads.inc({ outcome }, 0);
  addCounterBy(
    registry,
    'kind',
    'switchboard_retention_removed_total',
    'Rows that were kept no longer and were removed since the start, by kind.',
    () => Object.entries(seen().removed),
  );
  addGauge(registry, 'switchboard_snapshot_version', 'Version of the set of extensions.', () => seen().snapshotVersion);
  addGaugeBy(registry, 'state', 'switchboard_extensions', 'Extensions by state.', () =>
    countBy(
      EXTENSION_STATES,
      seen().extensions.map((one) => one.state),
    ),
  );
  addGaugeBy(registry, 'available', 'switchboard_tools', 'Tools, by whether they can be called.', () =>
    countBy(
      ['true', 'false'],
      seen().tools.map((one) => String(one.available)),
    ),
  );
  addGauge(registry, 'switchboard_extension_processes', 'Processes of extensions that run.', () => processesOf(seen().extensions).length);
  addGaugeBy(registry, 'extension', 'switchboard_extension_memory_bytes', 'Resident memory of the process of an extension.', () =>
    memoryOf(seen().extensions),
  );
  addCounterBy(
    registry,
    'extension',
    'switchboard_extension_restarts_total',
    'Ends of the process of an extension since the start that nobody wanted.',
    () => seen().extensions.map(({ id }) => [id, crashes.get(id) ?? 0] as const),
  );
  addGaugeBy(registry, 'status', 'switchboard_failures', 'Groups of failures by what became of them.', () =>
    Object.entries(seen().failures),
  );
  addGaugeBy(registry, 'state', 'switchboard_channels', 'Channels by state.', () =>
    countBy(
      CHANNEL_STATES,
      seen().channels.map((one) => one.state),
    ),
  );
  addGaugeBy(registry, 'channel', 'switchboard_messages_queued', 'Messages that wait to be sent.', () =>
    seen().channels.map(({ name, queued }) => [name, queued] as const),
  );
  addGaugeBy(registry, 'channel', 'switchboard_messages_failed', 'Messages that were given up.', () =>
    seen().channels.map(({ name, failed }) => [name, failed] as const),
  );
  addCounterBy(registry, 'outcome', 'switchboard_spans_total', 'Spans since the start, by what became of them.', () =>
    Object.entries<number>({ ...seen().spans }),
  );
  const host = createProcessMetrics(registry);

  const leave = events.subscribe(
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
    text() {
      const text = registry.metrics();
      state = null;
      return text;
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

/** All of `values`, so that a series does not vanish when it falls to zero. */
function countBy(values: readonly string[], found: readonly string[]): LabelledValues {
  return values.map((value) => [value, found.filter((one) => one === value).length] as const);
}
