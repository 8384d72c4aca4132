import type { RawFailure, RunningExtension } from '#lib/runtime/runtime.ts';
import type { Slot } from './extension-slot.ts';
import { ownedTools } from './extension-slot.ts';
import { createLimiter } from './load-batch.ts';
import type { LoadResult } from './load-candidate.ts';

/**
 * What a new revision must pass before it takes calls. Asked for every load, so the first question is answered from memory, and
 * a load that needs to pass nothing waits for nothing.
 */
export interface LoadGate {
  /** Whether any of these tools has something to pass. */
  guards(tools: readonly string[]): boolean;
  /**
   * Why this revision, which is described and not yet committed, may not take calls; null when it may. Bounded in time, never
   * rejects, and ends early with `signal`.
   * @param tools those that it has, and those that the extension owned until now: one that is gone has not passed
   */
  judge(running: RunningExtension, tools: readonly string[], signal: AbortSignal): Promise<RawFailure | null>;
}

export interface GateOptions {
  readonly gate: LoadGate;
  /** Lower case. */
  readonly excludedTools: ReadonlySet<string>;
}

export type HoldAtGate = (slot: Slot, result: LoadResult, signal: AbortSignal) => Promise<RawFailure | null> | null;

const AT_ONCE = 16;

/**
 * Answers null at once where nothing is to be passed: no load is held up for checks that others have. A description that is
 * trusted from an earlier run has passed then; what serves already is not asked again.
 */
export function createHoldAtGate({ gate, excludedTools }: GateOptions): HoldAtGate {
  const limit = createLimiter(AT_ONCE);
  return (slot, result, signal) => {
    if (result.kind !== 'loaded' || result.isRevived) return null;
    const names = new Set([...ownedTools(slot, excludedTools), ...result.description.tools].map((tool) => tool.name));
    const tools = [...names].filter((name) => !excludedTools.has(name.toLowerCase()));
    if (!gate.guards(tools)) return null;
    return limit(async () => {
      const failure = await gate.judge(result.running, tools, signal);
      if (failure === null || slot.kind === 'tools') return failure;
      const { subject: _, ...rest } = failure;
      return slot.kind === 'tool' && failure.subject !== undefined ? { ...rest, subject: ['run'] } : rest;
    });
  };
}
