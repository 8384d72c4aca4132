import { setTimeout as delay } from 'node:timers/promises';
import type { ReloadReport } from '#lib/contract/extension.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { ExtensionLoader } from '#lib/loader/extension-loader.ts';
import type { Registry } from '#lib/registry/snapshot.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import { isStorageError } from '#lib/store/storage-error.ts';
import { unknownExtension } from './extension-actions.ts';
import type { Logger } from './logger.ts';

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
