import type { RawFailure, RunningExtension } from '#lib/runtime/runtime.ts';
import type { Slot } from './extension-slot.ts';
import { ownedTools } from './extension-slot.ts';
import { createLimiter } from './load-batch.ts';
import type { LoadResult } from './load-candidate.ts';

/**
 * Checks that a new revision must pass before it gets calls. Called for every load, so `guards` answers from memory,
 * and a load without required checks does not wait.
 */
export interface LoadChecks {
  /** Whether any of these tools has a required check. */
  guards(tools: readonly string[]): boolean;
  /**
   * Why this described but uncommitted revision must not get calls; null when it may. Bounded in time, never rejects,
   * and ends early with `signal`.
   * @param tools its own tools, and those the extension owned until now: the check of a removed tool fails
   */
  judge(running: RunningExtension, tools: readonly string[], signal: AbortSignal): Promise<RawFailure | null>;
}

export interface LoadCheckOptions {
  readonly checks: LoadChecks;
  /** Lower case. */
  readonly excludedTools: ReadonlySet<string>;
}

export type CheckLoad = (slot: Slot, result: LoadResult, signal: AbortSignal) => Promise<RawFailure | null> | null;

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
