import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import { reviveKept } from '#lib/loader/kept-revisions.ts';
import type { ExtensionLoader } from '#lib/loader/extension-loader.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import { unknownExtension } from './extension-actions.ts';

/** Older revisions brought to life for calls that ask for them; each is ended when nobody has used it for a while. */
export interface RevisionRunners {
  runningOn(extension: string, revision: number): Promise<Result<RunningExtension>>;
  close(): Promise<void>;
}

const IDLE_MS = 60_000;

export function createRevisionRunners(loader: ExtensionLoader, drainMs: number): RevisionRunners {
  const runners = new Map<string, { readonly running: RunningExtension; timer: NodeJS.Timeout }>();

  function endLater(key: string): NodeJS.Timeout {
    const timer = setTimeout(() => {
      const runner = runners.get(key);
      if (runner === undefined) return;
      if (runner.running.callsInFlight() > 0) {
        runner.timer = endLater(key);
        return;
      }
      runners.delete(key);
      void runner.running.close(drainMs);
    }, IDLE_MS);
    return timer.unref();
  }

  return {
    async runningOn(extension, revision) {
      const slot = loader.state.slots.get(extension);
      if (slot === undefined) return unknownExtension(extension);
      if (slot.serving?.revision === revision) return ok(slot.serving.running);
      const key = `${extension}@${revision}`;
      const known = runners.get(key);
      if (known !== undefined) {
        clearTimeout(known.timer);
        known.timer = endLater(key);
        return ok(known.running);
      }
      const { options } = loader.state;
      if (options.store.revisions.get(extension, revision) === null)
        return refuse('revision_not_found', `${extension} has no revision ${revision}.`);
      const served = await reviveKept(loader.state, slot, revision, { onIncident: () => undefined });
      if (served === null)
        return refuse(
          'revision_not_found',
          `Revision ${revision} of ${extension} cannot run: it failed to load, or it is older than the 20 that are kept.`,
        );
      runners.set(key, { running: served.running, timer: endLater(key) });
      return ok(served.running);
    },
    async close() {
      const all = [...runners.values()];
      runners.clear();
      for (const { timer } of all) clearTimeout(timer);
      await Promise.all(all.map(({ running }) => running.close(0)));
    },
  };
}
