import { AsyncLocalStorage } from 'node:async_hooks';
import type { Principal } from '#lib/access/principal.ts';

/**
 * Who sent the request that is being answered, for what Next runs: a request that passed the gate is answered within this, and
 * nothing that a client sends can put another in its place. Next bundles copies of what `app/` imports, so the storage is
 * in the global object.
 */
const SLOT = Symbol.for('switchboard.principal');

export function answerAs<Value>(principal: Principal, answer: () => Value): Value {
  return storage().run(principal, answer);
}

/** Null outside of a request that passed the gate. */
export function currentPrincipal(): Principal | null {
  return storage().getStore() ?? null;
}

function storage(): AsyncLocalStorage<Principal> {
  const found: unknown = Reflect.get(globalThis, SLOT);
  if (found instanceof AsyncLocalStorage) return found;
  const made = new AsyncLocalStorage<Principal>();
  Reflect.set(globalThis, SLOT, made);
  return made;
}
