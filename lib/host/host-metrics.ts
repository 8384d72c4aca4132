import { CHANNEL_STATES } from '#lib/contract/channel.ts';
import type { Channel } from '#lib/contract/channel.ts';
import { EXTENSION_STATES } from '#lib/contract/extension.ts';
import type { Extension, ExtensionState } from '#lib/contract/extension.ts';
import type { GroupCounts } from '#lib/contract/failure-group.ts';
import type { MetricFamily } from '#lib/contract/metrics.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { SpanCounts } from '#lib/contract/tracing.ts';
import type { EventLog } from '#lib/registry/event-log.ts';
import { residentBytes } from '#lib/runtime/memory-watch.ts';
import type { RefusedCall } from '#lib/calls/call-outcomes.ts';
import { createCallMetrics } from './call-metrics.ts';
import type { EndedCall } from './call-metrics.ts';
import type { Kind } from './retention.ts';
import { createProcessMetrics, gauge, plain } from './process-metrics.ts';

/** What the host measures of itself: counted as it happens, or looked at when somebody asks. */
export interface HostMetrics {
  callEnded(call: EndedCall): void;
  callRefused(reason: RefusedCall): void;
  extensionCrashed(id: string): void;
  families(now: HostNow): readonly MetricFamily[];
  close(): void;
}

/** How the host is at the moment of asking. */
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

/** @param stateOf of an extension by its id: one that is shown as excluded or disabled was not loaded */
export function createHostMetrics(events: Pick<EventLog, 'subscribe'>, stateOf: (id: string) => ExtensionState | null): HostMetrics {
  const calls = createCallMetrics();
  const host = createProcessMetrics();
  /** By the id of the extension, which may be gone. */
  const crashes = new Map<string, number>();
  const loads = { loaded: 0, failed: 0, removed: 0 };
  const leave = events.subscribe(
    ({ type, data: { extension = '' } }) => {
      if (type === 'extension.loaded' && stateOf(extension) !== 'ready') return;
      if (type === 'extension.loaded' || type === 'extension.failed' || type === 'extension.removed') loads[LOADS[type]] += 1;
    },
    ['extension.loaded', 'extension.failed', 'extension.removed'],
  );

  return {
    callEnded: calls.ended,
    callRefused: calls.refused,
    extensionCrashed(id) {
      crashes.set(id, (crashes.get(id) ?? 0) + 1);
      const [first] = crashes.keys();
      if (crashes.size > MOST_CRASHED && first !== undefined) crashes.delete(first);
    },
    families: (now) => [
      ...calls.families(now.tools.map(({ name }) => name)),
      gauge('switchboard_calls_running', 'Calls that have not ended, those that wait for their turn included.', [
        plain(now.calls.inFlight),
      ]),
      gauge('switchboard_calls_waiting', 'Calls that wait for their turn.', [plain(now.calls.waiting)]),
      {
        name: 'switchboard_extension_loads_total',
        help: 'Loads of extensions since the start, by how they came out.',
        type: 'counter',
        samples: Object.entries(loads).map(([outcome, value]) => ({ labels: { outcome }, value })),
      },
      {
        name: 'switchboard_retention_removed_total',
        help: 'Rows that were kept no longer and were removed since the start, by kind.',
        type: 'counter',
        samples: Object.entries(now.removed).map(([kind, value]) => ({ labels: { kind }, value })),
      },
      gauge('switchboard_snapshot_version', 'Version of the set of extensions.', [plain(now.snapshotVersion)]),
      gauge(
        'switchboard_extensions',
        'Extensions by state.',
        countBy(
          'state',
          EXTENSION_STATES,
          now.extensions.map((one) => one.state),
        ),
      ),
      gauge(
        'switchboard_tools',
        'Tools, by whether they can be called.',
        countBy(
          'available',
          ['true', 'false'],
          now.tools.map((one) => String(one.available)),
        ),
      ),
      ...processFamilies(now.extensions, crashes),
      gauge(
        'switchboard_failures',
        'Groups of failures by what became of them.',
        Object.entries(now.failures).map(([status, value]) => ({ labels: { status }, value })),
      ),
      gauge(
        'switchboard_channels',
        'Channels by state.',
        countBy(
          'state',
          CHANNEL_STATES,
          now.channels.map((one) => one.state),
        ),
      ),
      gauge(
        'switchboard_messages_queued',
        'Messages that wait to be sent.',
        now.channels.map(({ name, queued }) => ({ labels: { channel: name }, value: queued })),
      ),
      gauge(
        'switchboard_messages_failed',
        'Messages that were given up.',
        now.channels.map(({ name, failed }) => ({ labels: { channel: name }, value: failed })),
      ),
      {
        name: 'switchboard_spans_total',
        help: 'Spans since the start, by what became of them.',
        type: 'counter',
        samples: Object.entries<number>({ ...now.spans }).map(([outcome, value]) => ({ labels: { outcome }, value })),
      },
      ...host.families(),
    ],
    close() {
      leave();
      host.close();
    },
  };
}

function processFamilies(extensions: readonly Extension[], crashes: ReadonlyMap<string, number>): MetricFamily[] {
  const running = extensions.flatMap(({ id, process: { pid } }) => (pid === null ? [] : [{ extension: id, pid }]));
  return [
    gauge('switchboard_extension_processes', 'Processes of extensions that run.', [plain(running.length)]),
    gauge(
      'switchboard_extension_memory_bytes',
      'Resident memory of the process of an extension.',
      running.flatMap(({ extension, pid }) => {
        const value = residentBytes(pid);
        return value === null ? [] : [{ labels: { extension }, value }];
      }),
    ),
    {
      name: 'switchboard_extension_restarts_total',
      help: 'Ends of the process of an extension since the start that nobody wanted.',
      type: 'counter',
      samples: extensions.map(({ id }) => ({ labels: { extension: id }, value: crashes.get(id) ?? 0 })),
    },
  ];
}

/** All of `values`, so that a series does not vanish when it falls to zero. */
function countBy(label: string, values: readonly string[], found: readonly string[]): { labels: Record<string, string>; value: number }[] {
  return values.map((value) => ({ labels: { [label]: value }, value: found.filter((one) => one === value).length }));
}
