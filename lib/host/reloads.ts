import type { ReloadReport } from '#lib/contract/extension.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok } from '#lib/contract/result.ts';
import type { ExtensionLoader } from '#lib/loader/extension-loader.ts';
import type { Registry } from '#lib/registry/registry.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import { unknownExtension } from './extension-actions.ts';

/**
 * Reloads that people ask for. Requests that come while one of the same kind waits for its turn share it, so that ten
 * presses of a button are two loads at most: the one under way and one that sees everything saved before the presses.
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

  return {
    async reload(ids, actor) {
      const known = loader.state.slots;
      const unknown = ids?.find((id) => !known.has(id));
      if (unknown !== undefined) {
        await loader.reload([], { kind: 'reload', actor, files: [] });
        if (!known.has(unknown)) return unknownExtension(unknown);
      }
      const key = ids === null ? '*' : JSON.stringify([...ids].sort());
      const shared = waiting.get(key);
      if (shared !== undefined) return ok(await shared);
      const turn = running.then(() => {
        waiting.delete(key);
        return load(ids, actor);
      });
      waiting.set(key, turn);
      running = turn.catch(() => undefined);
      return ok(await turn);
    },
  };
}
