import type { Api } from './app.ts';

/**
 * Next bundles copies of what `app/` imports, so a module-level variable would exist once per bundle. The one app therefore sits in a
 * slot of the global object, filled by the server that made it.
 */
const SLOT = Symbol.for('switchboard.api');

export function setCurrentApi(api: Pick<Api, 'fetch'>): void {
  Reflect.set(globalThis, SLOT, api);
}

/** Answers by the app of this process; 503 while there is none. */
export async function answerByApi(request: Request): Promise<Response> {
  const api: unknown = Reflect.get(globalThis, SLOT);
  return isApi(api) ? api.fetch(request) : new Response(null, { status: 503 });
}

function isApi(value: unknown): value is Pick<Api, 'fetch'> {
  return typeof value === 'object' && value !== null && 'fetch' in value && typeof value.fetch === 'function';
}
