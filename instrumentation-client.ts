/*
 * Next runs this in the browser before our other modules. zod probes `new Function` when it creates schemas, which violates the
 * content security policy. This sets zod's global configuration (`globalConfig` in its core) without loading zod.
 */
Reflect.set(globalThis, '__zod_globalConfig', { jitless: true });

/** Called by Next at the start of a navigation; lib/client/pending-navigation.ts listens. */
export function onRouterTransitionStart(address: string): void {
  window.dispatchEvent(new CustomEvent('switchboard:leaving', { detail: address }));
}
