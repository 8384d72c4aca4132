/*
 * Navigation while the server is unreachable. If the page request of Next fails, or a proxy answers for the server, Next falls
 * back to the browser, whose error page replaces ours and all input. So the request is held and retried until it succeeds. What
 * can go wrong:
 * - another page is requested meanwhile: it replaces the first;
 * - the navigation is cancelled (`stay`);
 * - the connection returns between two attempts: the next one starts at once;
 * - a proxy rejects only pages: they are retried all the same.
 * Failed prefetches are not held: Next reads the page again on navigation.
 */
export interface HeldNavigation {
  /** Whether a navigation is pending. */
  isHeld(): boolean;
  subscribe(listener: () => void): () => void;
  /** Retries now instead of waiting for the next attempt. */
  retryNow(): void;
  /** Cancels the pending navigation. Next must be notified separately. */
  stay(): void;
  /** Holds page requests until the returned function is called. */
  start(): () => void;
}

const PAUSE_LEAST_MS = 1_000;
const PAUSE_MOST_MS = 5_000;
/** Status codes of a proxy whose server is down. */
const NOBODY_BEHIND = new Set([502, 503, 504]);

export function createHeldNavigation(): HeldNavigation {
  const listeners = new Set<() => void>();
  /** URL of the pending page; other reads are abandoned. */
  let wanted: string | null = null;
  let tryNow: (() => void) | null = null;
  let held = false;

  function become(isHeld: boolean) {
    if (held === isHeld) return;
    held = isHeld;
    for (const listener of listeners) listener();
  }

  async function read(fetchPage: typeof fetch, address: string, ...request: Parameters<typeof fetch>): Promise<Response> {
    if (wanted !== address) become(false);
    wanted = address;
    for (let pause = PAUSE_LEAST_MS; ; pause = Math.min(pause * 2, PAUSE_MOST_MS)) {
      const response = await fetchPage(...request).catch((error: unknown) => {
        if (request[1]?.signal?.aborted === true) throw error;
        return null;
      });
      if (response !== null && !NOBODY_BEHIND.has(response.status)) {
        if (wanted === address) become(false);
        return response;
      }
      if (wanted === address) {
        become(true);
        await new Promise<void>((resolve) => {
          tryNow = resolve;
          setTimeout(resolve, pause);
        });
      }
      // Never settles: a rejection would make Next fall back to the browser.
      if (wanted !== address) return new Promise(() => undefined);
    }
  }

  return {
    isHeld: () => held,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    retryNow: () => tryNow?.(),
    stay() {
      wanted = null;
      become(false);
    },
    start() {
      const before = window.fetch;
      const holding: typeof fetch = (input, init) => {
        const address = pageOf(input, init);
        return address === null ? before(input, init) : read(before, address, input, init);
      };
      window.fetch = holding;
      return () => {
        if (window.fetch === holding) window.fetch = before;
      };
    },
  };
}

export const heldNavigation = createHeldNavigation();

/** URL of the page if Next reads it for a navigation; null for other requests. */
function pageOf(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): string | null {
  const headers = new Headers(init?.headers);
  if (!(input instanceof URL) || headers.get('rsc') === null || headers.get('next-router-prefetch') !== null) return null;
  return input.pathname + input.search.replace(/[?&]_rsc=[^&]*/, '');
}
