import type { Api } from './app.ts';

/**
 * Next bundles copies of what `app/` imports, so a module variable would exist once per bundle. The app is therefore in a slot
 * of the global object, set by the server.
 */
const SLOT = Symbol.for('switchboard.api');

export function setCurrentApi(api: Pick<Api, 'fetch'>): void {
  Reflect.set(globalThis, SLOT, api);
}

/** Answers by the app of this process; 503 without one. */
export async function answerByApi(request: Request): Promise<Response> {
  const api: unknown = Reflect.get(globalThis, SLOT);
  return isApi(api) ? api.fetch(request) : new Response(null, { status: 503 });
}

function isApi(value: unknown): value is Pick<Api, 'fetch'> {
  return typeof value === 'object' && value !== null && 'fetch' in value && typeof value.fetch === 'function';
}
