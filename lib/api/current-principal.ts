import { AsyncLocalStorage } from 'node:async_hooks';
import type { Member, Principal } from '#lib/access/principal.ts';

/**
 * Who sent the request for the page that Next is rendering. The server authenticates before Next is entered, and nothing that a client
 * sends can change it. Next bundles copies of what `app/` imports, so the storage is in the global object.
 */
const SLOT: unique symbol = Symbol.for('switchboard.principal');

const scope: typeof globalThis & { [SLOT]?: AsyncLocalStorage<Principal> } = globalThis;

export function answerAs<Value>(principal: Principal, answer: () => Value): Value {
  return storage().run(principal, answer);
}

/** Null outside of a request that was authenticated. */
export function currentPrincipal(): Principal | null {
  return storage().getStore() ?? null;
}

/** Null where nobody of a team is signed in, and for tokens. */
export function currentMember(): Member | null {
  const principal = currentPrincipal();
  return principal?.kind === 'member' ? principal : null;
}

function storage(): AsyncLocalStorage<Principal> {
  return (scope[SLOT] ??= new AsyncLocalStorage<Principal>());
}
