import type { Host } from './host.ts';

/**
 * Next bundles copies of modules that `app/` imports, so a module-level variable would exist once per bundle. The
 * current Host is therefore stored on the global object, by `server.ts` and by servers in tests.
 */
const SLOT = Symbol.for('switchboard.host');

export function setCurrentHost(host: Host): void {
  Reflect.set(globalThis, SLOT, host);
}

export function currentHost(): Host {
  const host: unknown = Reflect.get(globalThis, SLOT);
  if (!isHost(host))
    throw new Error('No host is running in this process. Start Switchboard with `npm start` or `npm run dev`: Next alone has none.');
  return host;
}

/** Only `setCurrentHost` sets it; across bundles only its shape can be checked. */
function isHost(value: unknown): value is Host {
  return typeof value === 'object' && value !== null && 'extensions' in value && 'calls' in value && 'events' in value;
}
