/*
 * Whether a navigation is pending. Next starts it long before the URL changes, and drops it if the URL is written or another
 * navigation starts meanwhile. Code that does either automatically checks here first.
 */
/** Dispatched by instrumentation-client.ts when Next starts a navigation; its detail is the URL. */
const LEAVING = 'switchboard:leaving';

let leavingFor: string | null = null;
const listeners = new Set<() => void>();

function leaveFor(address: string | null): void {
  leavingFor = address;
  for (const listener of listeners) listener();
}

if (typeof window !== 'undefined') {
  window.addEventListener(LEAVING, (event) => {
    leaveFor(event instanceof CustomEvent ? new URL(String(event.detail), location.href).href : null);
  });
  window.addEventListener('popstate', stayHere);
}

/** The pending navigation was cancelled. */
export function stayHere(): void {
  leaveFor(null);
}

export function subscribeLeaving(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether a navigation to another path is pending. */
export function isLeaving(): boolean {
  return leavingFor !== null && new URL(leavingFor).pathname !== location.pathname;
}

/**
 * For actions that navigate when done. Call it when the action starts; the returned function reports whether the person is
 * still at that URL without a pending navigation. The component that started the action may be unmounted by then.
 */
export function beginHere(): () => boolean {
  const address = location.href;
  const before = leavingFor;
  return () => location.href === address && leavingFor === before;
}
