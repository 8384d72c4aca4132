import { AsyncLocalStorage } from 'node:async_hooks';
import type { Member, Principal } from '#lib/access/principal.ts';
import type { Action } from '#lib/contract/actions.ts';
import type { AuditDetail } from '#lib/contract/audit.ts';

/**
 * Who sent the request that is being answered, and from where, for what Next runs: a request that passed the gate is answered
 * within this, and nothing that a client sends can put another in its place. Next bundles copies of what `app/` imports, so the
 * storage is in the global object.
 */
export interface AskedNow {
  readonly principal: Principal;
  /** Of the client, as far as it is known through proxies. */
  readonly address: string;
  /** The action that is written down when it is answered; null for none. */
  audited: Action | null;
  /** What is written beside it. */
  detail: AuditDetail;
}

const SLOT: unique symbol = Symbol.for('switchboard.principal');

const scope: typeof globalThis & { [SLOT]?: AsyncLocalStorage<AskedNow> } = globalThis;

export function answerAs<Value>(asked: AskedNow, answer: () => Value): Value {
  return storage().run(asked, answer);
}

/** Null outside of a request that passed the gate. */
export function currentlyAsked(): AskedNow | null {
  return storage().getStore() ?? null;
}

/** For the audit of a team's server: that this request is what the action says, though it changes nothing. */
export function noteAction(action: Action): void {
  const asked = currentlyAsked();
  if (asked !== null) asked.audited = action;
}

/** For the audit of a team's server: what is to be known of this request. Never secrets, never the text of a file. */
export function noteDetail(detail: AuditDetail): void {
  const asked = currentlyAsked();
  if (asked !== null) asked.detail = { ...asked.detail, ...detail };
}

/** Null outside of a request that passed the gate. */
export function currentPrincipal(): Principal | null {
  return currentlyAsked()?.principal ?? null;
}

/** Null where nobody of a team is signed in, and for tokens. */
export function currentMember(): Member | null {
  const principal = currentPrincipal();
  return principal?.kind === 'member' ? principal : null;
}

function storage(): AsyncLocalStorage<AskedNow> {
  return (scope[SLOT] ??= new AsyncLocalStorage<AskedNow>());
}
