import { authorize } from '#lib/access/authorize.ts';
import { LOCAL_ADMIN, LOCAL_PERSON } from '#lib/access/principal.ts';
import type { Action } from '#lib/contract/actions.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';

/**
 * Lets a local person do what needs no right, and asks for the proof of the admin right only where an action needs it:
 * each wrong token counts, so one that nobody wanted to see is not looked at.
 */
export function authoriseLocal(action: Action, resource: string | null, proveAdminRight: () => Result<null>): Result<null> {
  const decision = authorize(LOCAL_PERSON, action, resource);
  if (decision.allowed) return ok(null);
  const proven = proveAdminRight();
  if (!proven.ok) {
    const { problem } = proven;
    if (problem.code !== 'admin_token_invalid') return proven;
    return refuse(problem.code, problem.detail, { extra: { action, missing: decision.missing } });
  }
  const withRight = authorize(LOCAL_ADMIN, action, resource);
  return withRight.allowed ? ok(null) : refuse('request_refused', withRight.missing);
}
