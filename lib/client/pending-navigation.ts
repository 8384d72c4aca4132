/*
 * Whether a navigation is pending. Next starts it long before the URL changes, and drops it if the URL is written or another
 * navigation starts meanwhile. Code that does either automatically checks here first.
 */
/** Dispatched by instrumentation-client.ts when Next starts a navigation; its detail is the URL. */
const NAVIGATION_EVENT = 'switchboard:leaving';

let target: string | null = null;
const listeners = new Set<() => void>();

function setTarget(address: string | null): void {
  target = address;
  for (const listener of listeners) listener();
}

if (typeof window !== 'undefined') {
  window.addEventListener(NAVIGATION_EVENT, (event) => {
    setTarget(event instanceof CustomEvent ? new URL(String(event.detail), location.href).href : null);
  });
  window.addEventListener('popstate', cancelNavigation);
}

/** The pending navigation was cancelled. */
export function cancelNavigation(): void {
  setTarget(null);
}

export function subscribeNavigation(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether a navigation to another path is pending. */
export function isNavigating(): boolean {
  return target !== null && new URL(target).pathname !== location.pathname;
}

/**
 * For actions that navigate when done. Call it when the action starts; the returned function reports whether the person is
 * still at that URL without a pending navigation. The component that started the action may be unmounted by then.
 */
export function trackLocation(): () => boolean {
  const address = location.href;
  const before = target;
  return () => location.href === address && target === before;
}
