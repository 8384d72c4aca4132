import { AsyncLocalStorage } from 'node:async_hooks';
import type { Member, Principal } from '#lib/access/principal.ts';

/**
 * The caller of the page that Next renders, authenticated by the server before Next runs; clients cannot change it. Next
 * bundles copies of what `app/` imports, so the storage is in the global object.
 */
const PRINCIPAL_SLOT: unique symbol = Symbol.for('switchboard.principal');

const scope: typeof globalThis & { [PRINCIPAL_SLOT]?: AsyncLocalStorage<Principal> } = globalThis;

export function answerAs<Value>(principal: Principal, answer: () => Value): Value {
  return storage().run(principal, answer);
}

/** Null outside of an authenticated request. */
export function currentPrincipal(): Principal | null {
  return storage().getStore() ?? null;
}

/** Null for tokens, and without a signed-in member. */
export function currentMember(): Member | null {
  const principal = currentPrincipal();
  return principal?.kind === 'member' ? principal : null;
}

function storage(): AsyncLocalStorage<Principal> {
  return (scope[PRINCIPAL_SLOT] ??= new AsyncLocalStorage<Principal>());
}
