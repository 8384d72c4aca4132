import { setTimeout as delay } from 'node:timers/promises';
import type { Extension, ReloadReport } from '#lib/contract/extension.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import { type CommitContext, drain } from '#lib/loader/loader-state.ts';
import { nextVersion, recordFailure } from '#lib/loader/record-failure.ts';
import { reviveStored } from '#lib/loader/stored-revisions.ts';
import type { ExtensionLoader } from '#lib/loader/extension-loader.ts';
import { leftOutInWords, ownedTools, type Slot } from '#lib/loader/extension-slot.ts';
import { settleClaims } from '#lib/registry/name-claims.ts';
import type { Registry } from '#lib/registry/snapshot.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import { isStorageError } from '#lib/store/storage-error.ts';
import type { Actor } from './host.ts';
import type { Logger } from './logger.ts';

/** Actions of people on one extension. Each ends in a snapshot that names the person; a refusal changes nothing. */
export interface ExtensionActions {
  restart(id: string, actor: Actor): Promise<Result<Extension>>;
  disable(id: string, actor: Actor): Promise<Result<Extension>>;
  enable(id: string, actor: Actor): Promise<Result<Extension>>;
  rollback(id: string, revision: number, actor: Actor): Promise<Result<Extension>>;
  pin(id: string, revision: number, actor: Actor): Promise<Result<Extension>>;
  unpin(id: string, actor: Actor): Promise<Result<Extension>>;
  /** Whether its process keeps running without calls; null: automatic. */
  keepAlive(id: string, keep: boolean | null, actor: Actor): Promise<Result<Extension>>;
}

/** @param restarted called after a process was restarted: pending retries may start immediately */
export function createExtensionActions(
  loader: ExtensionLoader,
  show: (id: string) => Result<Extension>,
  restarted: (extension: Extension) => void,
): ExtensionActions {
  const { state } = loader;
  const { options } = state;

  function find(id: string): Result<Slot> {
    const slot = state.slots.get(id);
    if (slot === undefined) return unknownExtension(id);
    if (slot.isExcluded)
      return refuse(
        'state_conflict',
        `${id} is excluded. Remove it from EXTENSION_EXCLUDED_EXTENSIONS (the name “example” is always excluded) and restart the server.`,
      );
    if (slot.isLeftOut) return refuse('state_conflict', leftOutInWords(slot, state.options.extensionsDir));
    return ok(slot);
  }

  const cause = (kind: SnapshotCause['kind'], actor: Actor): SnapshotCause => ({ kind, actor: actor.name, files: [] });

  async function change(
    id: string,
    because: SnapshotCause,
    work: (slot: Slot, context: CommitContext) => Promise<Result<null>>,
    onCommitted: () => void = () => undefined,
  ): Promise<Result<Extension>> {
    const found = async (context: CommitContext): Promise<Result<null>> => {
      const slot = find(id);
      return slot.ok ? work(slot.value, context) : slot;
    };
    const done = await loader.change(id, because, found, { onCommitted });
    return done.ok ? show(id) : done;
  }

  /** Loads the current files, and resolves when the load has ended. */
  async function loadAgain(id: string, because: SnapshotCause): Promise<Result<Extension>> {
    await loader.reload([id], because);
    await loader.change(id, because, async () => ok(null));
    return show(id);
  }

  function endLoad(id: string): void {
    const slot = state.slots.get(id);
    if (slot === undefined || slot.loading === null) return;
    slot.generation += 1;
    slot.loading.controller.abort();
    slot.loading.finish();
    slot.loading = null;
  }

  async function serve(slot: Slot, revision: number, context: CommitContext): Promise<Result<null>> {
    if (slot.disabled) return refuse('state_conflict', `${slot.id} is disabled. Enable it first.`);
    if (slot.serving?.revision === revision) return ok(null);
    if ((await options.store.revisions.get(slot.id, revision)) === null)
      return refuse('revision_not_found', `${slot.id} has no revision ${revision}.`);
    const served = await reviveStored(state, slot, revision, context);
    if (served === null)
      return refuse(
        'state_conflict',
        `Revision ${revision} of ${slot.id} cannot run: it failed to load, it is older than the newest 20, or its packages are no longer installed.`,
      );
    const owned = new Map(
      [...state.slots.values()].map((other) => [other.id, ownedTools(other, options.excludedTools).map((tool) => tool.name)]),
    );
    const names = served.description.tools.map((tool) => tool.name).filter((name) => !options.excludedTools.has(name.toLowerCase()));
    const [taken] = settleClaims(owned, [{ id: slot.id, names }]).refused;
    if (taken !== undefined) {
      drain(state, served.running);
      return refuse(
        'state_conflict',
        `Revision ${revision} of ${slot.id} has a tool “${taken.name}”, and that name belongs to ${taken.owner} now.`,
      );
    }
    slot.serving = served;
    slot.owned = { revision, contentHash: served.contentHash, description: served.description };
    slot.breakdown = null;
    slot.loadedAt = new Date().toISOString();
    return ok(null);
  }

  return {
    async restart(id, actor) {
      const slot = find(id);
      if (!slot.ok) return slot;
      if (slot.value.disabled) return refuse('state_conflict', `${id} is disabled. Enable it first.`);
      const { serving } = slot.value;
      if (serving === null) return loadAgain(id, cause('restart', actor));
      const failure = await serving.running.restart('Restarted by a person');
      const done = await change(id, cause('restart', actor), async (current) => {
        if (current.serving !== serving) return ok(null);
        current.breakdown = failure === null ? null : await recordFailure(state, current, failure, serving.revision, nextVersion(state));
        return ok(null);
      });
      if (done.ok && failure === null) restarted(done.value);
      return done;
    },
    disable: (id, actor) =>
      change(
        id,
        cause('disable', actor),
        async (slot) => {
          if (slot.disabled) return ok(null);
          slot.disabled = true;
          slot.serving = null;
          slot.breakdown = null;
          return ok(null);
        },
        // A refusal does not affect the running load.
        () => endLoad(id),
      ),
    async enable(id, actor) {
      const because = cause('enable', actor);
      const enabled = await loader.change(
        id,
        because,
        async () => {
          const slot = find(id);
          if (!slot.ok) return slot;
          if (!slot.value.disabled) return ok(false);
          slot.value.disabled = false;
          slot.value.newest = null;
          return ok(true);
        },
        { loadFollows: true },
      );
      if (!enabled.ok) return enabled;
      return enabled.value ? loadAgain(id, because) : show(id);
    },
    async keepAlive(id, keep, actor) {
      const done = await change(id, cause('keep_alive', actor), async (slot) => {
        slot.keepAlive = keep;
        return ok(null);
      });
      // It creates no version, but other pages show it.
      if (done.ok) options.publish('snapshot.changed', { snapshot_version: options.registry.current().version });
      return done;
    },
    rollback: (id, revision, actor) =>
      change(id, cause('rollback', actor), async (slot, context) => {
        if (slot.pinnedRevision !== null && slot.pinnedRevision !== revision)
          return refuse(
            'state_conflict',
            `${id} is pinned to revision ${slot.pinnedRevision}. Unpin it first, or pin revision ${revision}.`,
          );
        const served = await serve(slot, revision, context);
        if (!served.ok) return served;
        const tried = slot.newest?.revision ?? null;
        // Another server may already have loaded a newer revision that this one is still loading.
        const newest = tried === null ? null : ((await options.store.revisions.latest(id))?.revision ?? tried);
        const isBack = slot.pinnedRevision === null && newest !== null && newest !== revision;
        slot.rolledBack = isBack ? { to: revision, from: newest } : null;
        return served;
      }),
    pin: (id, revision, actor) =>
      change(id, cause('pin', actor), async (slot, context) => {
        const served = await serve(slot, revision, context);
        if (!served.ok) return served;
        slot.pinnedRevision = revision;
        slot.rolledBack = null;
        return served;
      }),
    async unpin(id, actor) {
      const because = cause('unpin', actor);
      const unpinned = await loader.change(
        id,
        because,
        async () => {
          const slot = find(id);
          if (!slot.ok) return slot;
          const { newest, pinnedRevision, serving } = slot.value;
          if (pinnedRevision === null) return ok(null);
          slot.value.pinnedRevision = null;
          if (!slot.value.disabled && newest !== null && newest.failure === null && newest.revision !== serving?.revision)
            slot.value.newest = { ...newest, contentHash: null, inputs: [] };
          return ok(null);
        },
        { loadFollows: true },
      );
      return unpinned.ok ? loadAgain(id, because) : unpinned;
    },
  };
}

/** At most the first ten are named. */
export function unknownExtension(...ids: readonly string[]): Result<never> {
  const named = ids.slice(0, 10).map((id) => `“${id.slice(0, 80)}”`);
  const others = ids.length > named.length ? ` and ${ids.length - named.length} more` : '';
  return refuse('extension_not_found', `Extension ${named.join(', ')}${others} not found. GET /api/v1/extensions lists all extensions.`);
}

/**
 * Reloads requested by people. Requests that arrive while one of the same kind is queued share it, so ten clicks cause
 * at most two loads: the running one and one that includes everything saved before the clicks. What can go wrong: an id
 * that a scan does not find either, a folder that cannot be read (both are refused).
 */
export interface Reloads {
  reload(ids: readonly string[] | null, actor: string | null): Promise<Result<ReloadReport>>;
}

export function createReloads(loader: ExtensionLoader, registry: Registry<RunningExtension>): Reloads {
  let running: Promise<unknown> = Promise.resolve();
  const waiting = new Map<string, Promise<ReloadReport>>();

  async function load(ids: readonly string[] | null, actor: string | null): Promise<ReloadReport> {
    const beganAt = performance.now();
    const changed = await loader.reload(ids, { kind: 'reload', actor, files: [] });
    const { version, entries, tools } = registry.current();
    const shown = [...entries.values()].map((entry) => entry.extension);
    return {
      version,
      loaded_extensions: shown.filter((extension) => extension.state === 'ready').map((extension) => extension.id),
      failed_extensions: shown.flatMap((extension) => (extension.failure === null ? [] : [extension.failure])),
      tools: [...tools.values()].filter((item) => item.tool.available).map((item) => item.tool.name),
      channels: shown.flatMap((extension) => extension.channels),
      changed: [...changed],
      duration_ms: Math.round((performance.now() - beganAt) * 10) / 10,
    };
  }

  /** The extensions of the folder are then unknown, so no id can be checked. */
  function unreadableFolder(): Result<never> | null {
    const problem = loader.folderProblem();
    return problem?.kind === 'unreadable' ? refuse('extensions_unreadable', problem.reason, { retryAfter: 2 }) : null;
  }

  async function answer(report: Promise<ReloadReport>): Promise<Result<ReloadReport>> {
    const value = await report;
    return unreadableFolder() ?? ok(value);
  }

  return {
    async reload(ids, actor) {
      const known = loader.state.slots;
      if (ids?.every((id) => known.has(id)) === false) {
        await loader.reload([], { kind: 'reload', actor, files: [] });
        const unknown = ids.filter((id) => !known.has(id));
        if (unknown.length > 0) return unreadableFolder() ?? unknownExtension(...new Set(unknown));
      }
      const key = ids === null ? '*' : JSON.stringify([...ids].sort());
      const shared = waiting.get(key);
      if (shared !== undefined) return answer(shared);
      const turn = running.then(() => {
        waiting.delete(key);
        return load(ids, actor);
      });
      waiting.set(key, turn);
      running = turn.catch(() => undefined);
      return answer(turn);
    },
  };
}

const STORAGE_RETRY_MS = 1_000;

/** A database server may be unreachable for a moment; an unwritable file needs a person. */
export async function runFirstLoad(
  loader: Pick<ExtensionLoader, 'start'>,
  { isRetried, logger }: { readonly isRetried: () => boolean; readonly logger: Logger },
): Promise<void> {
  for (;;) {
    try {
      return await loader.start();
    } catch (error) {
      if (!isRetried() || !isStorageError(error)) throw error;
      logger.warn('the first load could not be stored; retrying', { error: error.message });
      await delay(STORAGE_RETRY_MS);
    }
  }
}
