/*
 * Whether another page is on its way in. Next begins to open it long before the address changes, and drops it when meanwhile
 * somebody writes the address or opens a third one. So who does either without being asked looks here first.
 */
/** Told by instrumentation-client.ts when Next begins to open a page; its detail is the address. */
const LEAVING = 'switchboard:leaving';

let leavingFor: string | null = null;

if (typeof window !== 'undefined') {
  window.addEventListener(LEAVING, (event) => {
    leavingFor = event instanceof CustomEvent ? new URL(String(event.detail), location.href).href : null;
  });
  window.addEventListener('popstate', stayHere);
}

/** The page that was on its way in is no longer wanted. */
export function stayHere(): void {
  leavingFor = null;
}

/** Whether a page of another path is on its way in. */
export function isLeaving(): boolean {
  return leavingFor !== null && new URL(leavingFor).pathname !== location.pathname;
}

/**
 * For actions that navigate once they are done. Called when one begins; what it returns is asked when it is done, and says
 * whether the person is still there: at that address, and not on the way to another one. What began the action may be gone by
 * then, as the offer of a first extension is once there is one.
 */
export function beginHere(): () => boolean {
  const address = location.href;
  const before = leavingFor;
  return () => location.href === address && leavingFor === before;
}
