import { setTimeout as sleep } from 'node:timers/promises';
import type { EventData, EventType } from '#lib/contract/events.ts';
import type { FailureEnvironment } from '#lib/contract/failure-group.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import type { ServerNotice } from '#lib/contract/server-features.ts';
import type { Tracer } from '#lib/contract/tracing.ts';
import type { Registry, Snapshot } from '#lib/registry/snapshot.ts';
import type { Incident, RawFailure, RunningExtension, Runtime } from '#lib/runtime/runtime.ts';
import type { NewestSnapshot, SnapshotRepository, Store } from '#lib/store/store.ts';
import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import type { Builder, Candidate, PackagesOf } from './build.ts';
import type { Scanner } from './scanner.ts';
import { ownedTools, type Slot } from './extension-slot.ts';
import { createLimiter } from './load-batch.ts';
import type { LoadResult } from './load-candidate.ts';

/**
 * State shared by the parts of the loader. Created by `createExtensionLoader`, which exposes it to the host as `state`;
 * slots are changed only between two commits.
 */
export interface LoaderState {
  readonly options: LoaderOptions;
  readonly slots: Map<string, Slot>;
  /** Slots created or moved by a scan: the next commit compares these too. */
  readonly unpublished: Set<Slot>;
  /** Old revisions that are finishing their calls. */
  readonly draining: Set<Promise<void>>;
  readonly scanner: Scanner;
  /** The newest version that this server stored. */
  newest: StoredSnapshot | null;
}

export interface StoredSnapshot extends NewestSnapshot {
  /** The snapshot that it was created from; null: created by another server, or by an earlier run of this one. */
  readonly set: Snapshot<RunningExtension> | null;
}

/** The other servers on this database, which load the same files. */
interface Peers {
  /** The id of this server. */
  instance(): string;
  /** Ids of the others that are alive. */
  others(): readonly string[];
  /** Whether the newest change of these files, absolute, came from another server. */
  isFromOthers(files: readonly string[]): boolean;
}

export interface LoaderOptions {
  readonly extensionsDir: string;
  readonly keepLastGood: boolean;
  /** Lower case. */
  readonly excludedExtensions: ReadonlySet<string>;
  readonly excludedTools: ReadonlySet<string>;
  readonly drainMs: number;
  readonly watch: 'native' | 'polling' | 'off';
  readonly builder: Builder;
  readonly runtimes: readonly Runtime[];
  readonly store: Store;
  readonly registry: Registry<RunningExtension>;
  readonly checks: LoadChecks;
  readonly peers: Peers;
  /** Null: tracing is off. */
  readonly tracer: Tracer | null;
  permissionsOf(id: string): readonly string[];
  /** Stored with a failure: the package versions and the variables. `uses` comes from the build; null when unknown. */
  environmentOf(candidate: Candidate, uses: readonly string[] | null): Promise<FailureEnvironment>;
  readonly packagesOf: PackagesOf;
  /** Whether all of these secrets are set. */
  hasSecrets(names: readonly string[]): boolean;
  /** Removes secrets from a text before it is stored with a failure. */
  hideSecrets(text: string): string;
  /** Running and queued calls. */
  callsInFlight(): number;
  /** An extension's process ended unexpectedly. */
  crashed(extension: string): void;
  /** A subscribed resource of an MCP server changed. */
  serverNotice(notice: ServerNotice): void;
  /** Absolute paths that changed in the folder, as soon as they are detected. */
  filesChanged(files: readonly string[]): void;
  publish(type: EventType, data: EventData): void;
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export function runtimeFor(state: LoaderState, candidate: Pick<Candidate, 'runtime'>): Runtime {
  const found = state.options.runtimes.find((runtime) => runtime.kind === candidate.runtime);
  if (found === undefined) throw new Error(`The loader has no runtime for ${candidate.runtime}`);
  return found;
}

/**
 * Lets an old revision finish its calls and then ends its process, in the background; the loader's `close` waits for
 * all of them.
 */
export function drain(state: LoaderState, running: RunningExtension, afterMs = 0): void {
  const end = (): Promise<void> => running.close(state.options.drainMs);
  const done = (afterMs === 0 ? end() : sleep(afterMs).then(end))
    .catch((error: unknown) => state.options.log('error', 'could not end an old revision', { error: String(error) }))
    .finally(() => state.draining.delete(done));
  state.draining.add(done);
}

/** Why the snapshot changes, and since when. */
export interface CommitContext {
  readonly cause: SnapshotCause;
  /** From `performance.now()`; start of the work that leads to this commit. */
  readonly beganAt: number;
  /** Extensions that this server loads because another one did. */
  readonly following?: ReadonlySet<string>;
  /** The first load is still running: the snapshot is usable, but not yet a version. */
  readonly isPartial: boolean;
  onIncident(slot: Slot, contentHash: string, incident: Incident): void;
}

/** The newest stored version. Its record lists all extensions, so it is read only when another server may have written it. */
export async function newestSnapshot(state: LoaderState, snapshots: SnapshotRepository): Promise<StoredSnapshot | null> {
  const version = await snapshots.latestVersion();
  if (version === null) return null;
  if (state.newest?.record.version === version) return state.newest;
  const latest = await snapshots.latest();
  return latest === null ? null : { ...latest, set: null };
}

/**
 * Checks that a new revision must pass before it gets calls. Called for every load, so `guards` answers from memory,
 * and a load without required checks does not wait.
 */
interface LoadChecks {
  /** Whether any of these tools has a required check. */
  guards(tools: readonly string[]): boolean;
  /**
   * Why this described but uncommitted revision must not get calls; null when it may. Bounded in time, never rejects,
   * and ends early with `signal`.
   * @param tools its own tools, and those the extension owned until now: the check of a removed tool fails
   */
  judge(running: RunningExtension, tools: readonly string[], signal: AbortSignal): Promise<RawFailure | null>;
}

interface LoadCheckOptions {
  readonly checks: LoadChecks;
  /** Lower case. */
  readonly excludedTools: ReadonlySet<string>;
}

type CheckLoad = (slot: Slot, result: LoadResult, signal: AbortSignal) => Promise<RawFailure | null> | null;

const AT_ONCE = 16;

/**
 * Returns null immediately without required checks, so other extensions' checks delay no load. A description trusted
 * from an earlier run has passed already; the serving revision is not checked again.
 */
export function createLoadCheck({ checks, excludedTools }: LoadCheckOptions): CheckLoad {
  const limit = createLimiter(AT_ONCE);
  return (slot, result, signal) => {
    if (result.kind !== 'loaded' || result.isRevived) return null;
    const names = new Set([...ownedTools(slot, excludedTools), ...result.description.tools].map((tool) => tool.name));
    const tools = [...names].filter((name) => !excludedTools.has(name.toLowerCase()));
    if (!checks.guards(tools)) return null;
    return limit(async () => {
      const failure = await checks.judge(result.running, tools, signal);
      if (failure === null || slot.kind === 'tools') return failure;
      const { subject: _, ...rest } = failure;
      return slot.kind === 'tool' && failure.subject !== undefined ? { ...rest, subject: ['run'] } : rest;
    });
  };
}
