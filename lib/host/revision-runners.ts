import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { ExtensionLoader } from '#lib/loader/extension-loader.ts';
import type { Served, Slot } from '#lib/loader/extension-slot.ts';
import { leftOutInWords } from '#lib/loader/extension-slot.ts';
import { currentVersion, recordFailure } from '#lib/loader/record-failure.ts';
import { reviveStored } from '#lib/loader/stored-revisions.ts';
import type { Incident, RunningExtension } from '#lib/runtime/runtime.ts';
import { unknownExtension } from './extension-actions.ts';

/**
 * Processes of older revisions, started for calls that request them; each ends when unused for a while. What can go
 * wrong: several callers request one at the same time (they share it); its extension is disabled or removed (it ends
 * with it); it dies or uses too much memory (a failure of that revision); it became the serving one (which then
 * answers).
 */
export interface RevisionRunners {
  /** Call right before each use: an unused runner may be ended. */
  runningOn(extension: string, revision: number): Promise<Result<RunningExtension>>;
  close(): Promise<void>;
}

interface Runner {
  readonly extension: string;
  readonly served: Promise<Served | null>;
  timer: NodeJS.Timeout | null;
}

const IDLE_MS = 60_000;

export function createRevisionRunners(loader: ExtensionLoader, drainMs: number): RevisionRunners {
  const { state } = loader;
  const { options } = state;
  const runners = new Map<string, Runner>();
  const unfollow = options.registry.follow(() => {
    for (const [key, runner] of runners) {
      const slot = state.slots.get(runner.extension);
      if (slot === undefined || slot.isLeftOut || slot.disabled) void end(key, runner, drainMs);
    }
  });

  function forget(key: string, runner: Runner): void {
    if (runners.get(key) === runner) runners.delete(key);
  }

  async function end(key: string, runner: Runner, ms: number): Promise<void> {
    forget(key, runner);
    if (runner.timer !== null) clearTimeout(runner.timer);
    const served = await runner.served.catch(() => null);
    await served?.running.close(ms);
  }

  function endLater(key: string, runner: Runner, running: RunningExtension): void {
    if (runner.timer !== null) clearTimeout(runner.timer);
    if (runners.get(key) !== runner) return;
    runner.timer = setTimeout(() => {
      if (running.callsInFlight() > 0) endLater(key, runner, running);
      else void end(key, runner, drainMs);
    }, IDLE_MS).unref();
  }

  function begin(key: string, slot: Slot, revision: number): Runner {
    const onIncident = (_: Slot, __: string, incident: Incident): void => {
      if (incident.type !== 'failure') return;
      recordFailure(state, slot, incident.failure, revision, currentVersion(state)).catch((error: unknown) =>
        options.log('error', 'could not record a failure of an older revision', {
          extension: slot.id,
          revision,
          error: String(error),
        }),
      );
    };
    const runner: Runner = { extension: slot.id, served: reviveStored(state, slot, revision, { onIncident }), timer: null };
    runners.set(key, runner);
    return runner;
  }

  async function runningOn(extension: string, revision: number): Promise<Result<RunningExtension>> {
    // Checked first, because the extension may be disabled during the read.
    const isStored = (await options.store.revisions.get(extension, revision)) !== null;
    const slot = state.slots.get(extension);
    if (slot === undefined) return unknownExtension(extension);
    if (slot.isLeftOut) return refuse('state_conflict', leftOutInWords(slot, state.options.extensionsDir));
    if (slot.disabled || slot.isExcluded)
      return refuse(
        'state_conflict',
        `${extension} is ${slot.disabled ? 'disabled. Enable it' : 'excluded. Remove it from EXTENSION_EXCLUDED_EXTENSIONS'} to use its revisions.`,
      );
    if (!isStored) return refuse('revision_not_found', `${extension} has no revision ${revision}.`);
    const entry = options.registry.current().entries.get(extension);
    // Applies in a crash loop too: it is not started a second time.
    if (entry?.running != null && slot.serving?.running === entry.running && slot.serving.revision === revision) return ok(entry.running);
    const key = `${extension}@${revision}`;
    const runner = runners.get(key) ?? begin(key, slot, revision);
    const served = await runner.served.catch((error: unknown) => {
      forget(key, runner);
      throw error;
    });
    if (served === null) {
      forget(key, runner);
      return refuse(
        'revision_not_found',
        `Revision ${revision} of ${extension} cannot run: it failed to load, or it is older than the newest 20.`,
      );
    }
    // It ended while the caller waited for it.
    if (runners.get(key) !== runner) return runningOn(extension, revision);
    endLater(key, runner, served.running);
    return ok(served.running);
  }

  return {
    runningOn,
    async close() {
      unfollow();
      await Promise.all([...runners].map(([key, runner]) => end(key, runner, 0)));
    },
  };
}
