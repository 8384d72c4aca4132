/*
 * Next runs this in the browser before any other module of ours. Schemas ask zod, when they are made, whether they may
 * compile themselves; its probe is `new Function`, which the content security policy refuses and reports. zod keeps what it is
 * told in this slot (`globalConfig` in its core); filling it here spares the first picture of a page the whole of zod.
 */
Reflect.set(globalThis, '__zod_globalConfig', { jitless: true });

/** Next calls this when it begins to open another page; lib/client/leaving.ts listens. */
export function onRouterTransitionStart(address: string): void {
  window.dispatchEvent(new CustomEvent('switchboard:leaving', { detail: address }));
}
