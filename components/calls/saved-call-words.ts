import type { StateName } from '#components/ui/states.ts';
import { STATES } from '#components/ui/states.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';

/** How a saved call stands after its last run: a state for the icon, and the word beside it. */
export function standingOf({ last_run: run }: SavedCall): { readonly state: StateName; readonly word: string } | null {
  if (run === null) return null;
  if (run.passed === null) return { state: run.status, word: STATES[run.status].word };
  return run.passed ? { state: 'succeeded', word: 'Passed' } : { state: 'failed', word: 'Did not pass' };
}

export interface RequiredFacts {
  readonly isCheck: boolean;
  readonly leftOut: readonly string[];
  readonly destructive: boolean;
}

/** Why new revisions cannot be made to pass it; null when they can. */
export function whyNotRequired({ isCheck, leftOut, destructive }: RequiredFacts): string | null {
  if (destructive) return 'This tool says of itself that it may change or delete what is there, so the server never calls it unasked.';
  if (leftOut.length > 0) return `The server would have to make this call by itself, and its secrets (${leftOut.join(', ')}) are not kept.`;
  if (!isCheck) return 'Say what is expected, and every new revision of the extension can be made to pass it.';
  return null;
}

/** `2 of 3 checks passed`, of those that were run; null where there is no check. */
export function checksInWords(saved: readonly SavedCall[]): string | null {
  const checks = saved.filter((each) => each.expectation !== null);
  if (checks.length === 0) return null;
  const passed = checks.filter((each) => each.last_run?.passed === true).length;
  return `${passed} of ${checks.length} ${checks.length === 1 ? 'check' : 'checks'} passed`;
}

/** Arguments with the secrets that were left out of them put back, by their JSON Pointers. */
export function withSecrets(args: Readonly<Record<string, unknown>>, secrets: Readonly<Record<string, string>>): Record<string, unknown> {
  const whole: Record<string, unknown> = structuredClone({ ...args });
  for (const [pointer, secret] of Object.entries(secrets)) {
    const names = pointer
      .split('/')
      .slice(1)
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
    let at: unknown = whole;
    for (const name of names.slice(0, -1)) at = isObject(at) ? at[name] : undefined;
    const last = names.at(-1);
    if (isObject(at) && last !== undefined) at[last] = secret;
  }
  return whole;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
