import { argumentsOf } from '#components/calls/call-words.ts';
import type { Call } from '#lib/contract/call.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';

/** What the address asks to have in the form: the arguments of a call, or of a saved one. */
export interface LoadedArguments {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Pointers of secrets that are not among them. */
  readonly redacted: readonly string[];
  readonly saved: string | null;
  /** The call of the history they are of. */
  readonly replayOf: string | null;
  /** How long a saved call may take; null: as long as the tool says, undefined: it is not one. */
  readonly timeoutMs?: number | null;
}

export function argumentsOfSaved(saved: SavedCall): LoadedArguments {
  return { arguments: saved.arguments, redacted: saved.left_out, saved: saved.id, replayOf: null, timeoutMs: saved.timeout_ms };
}

export function argumentsOfCall(call: Call): LoadedArguments {
  return { arguments: argumentsOf(call) ?? {}, redacted: call.redacted, saved: null, replayOf: call.id };
}
