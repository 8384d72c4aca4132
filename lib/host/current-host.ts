import type { Host } from './host.ts';

/**
 * Next bundles copies of what `app/` imports, so a module-level variable would exist once per bundle. The living Host
 * therefore sits in one slot of the global object, filled by `server.ts` alone. There is no other module-level state.
 */
const SLOT = Symbol.for('switchboard.host');

export function setCurrentHost(host: Host): void {
  Reflect.set(globalThis, SLOT, host);
}

export function currentHost(): Host {
  const host: Host | undefined = Reflect.get(globalThis, SLOT);
  if (host === undefined) throw new Error('No host is running in this process; server.ts makes it before Next is entered.');
  return host;
}
