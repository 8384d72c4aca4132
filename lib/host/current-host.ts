import type { Host } from './host.ts';

/**
 * Next bundles copies of what `app/` imports, so a module-level variable would exist once per bundle. The living Host
 * therefore sits in one slot of the global object, filled once by whoever serves it: `server.ts`, and servers in tests.
 */
const SLOT = Symbol.for('switchboard.host');

export function setCurrentHost(host: Host): void {
  Reflect.set(globalThis, SLOT, host);
}

export function currentHost(): Host {
  const host: unknown = Reflect.get(globalThis, SLOT);
  if (!isHost(host)) throw new Error('No host is running in this process; server.ts makes it before Next is entered.');
  return host;
}

/** The slot is filled by `setCurrentHost` alone; across bundles nothing but its shape can be asked. */
function isHost(value: unknown): value is Host {
  return typeof value === 'object' && value !== null && 'extensions' in value && 'calls' in value && 'events' in value;
}
