import { argumentsOf } from '#components/calls/call-words.ts';
import type { Call } from '#lib/contract/call.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';

/** Arguments named by the address: of a past call or a saved call. */
export interface LoadedArguments {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Pointers of secrets, which are not stored. */
  readonly redacted: readonly string[];
  readonly saved: string | null;
  readonly replayOf: string | null;
  /** Timeout of a saved call. Null: the tool's own; undefined: not a saved call. */
  readonly timeoutMs?: number | null;
}

export function argumentsOfSaved(saved: SavedCall): LoadedArguments {
  return { arguments: saved.arguments, redacted: saved.left_out, saved: saved.id, replayOf: null, timeoutMs: saved.timeout_ms };
}

export function argumentsOfCall(call: Call): LoadedArguments {
  return { arguments: argumentsOf(call) ?? {}, redacted: call.redacted, saved: null, replayOf: call.id };
}
