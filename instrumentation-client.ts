import { z } from 'zod';

/*
 * Next runs this in the browser before any other module of ours. Schemas ask zod, when they are made, whether they may
 * compile themselves; its probe is `new Function`, which the content security policy refuses and reports.
 */
z.config({ jitless: true });

/** Next calls this when it begins to open another page; what keeps filters in the address listens. */
export function onRouterTransitionStart(address: string): void {
  window.dispatchEvent(new CustomEvent('switchboard:leaving', { detail: address }));
}
