/*
 * Opening another page while the server is away. Next reads the page by `fetch`; when that fails, or when a proxy in front says
 * that nobody is behind it, Next leaves it to the browser, which shows its own error page in place of ours and of all that was
 * typed. So such a read is held, and made again until it is answered. What can go wrong: another page is wanted meanwhile (its
 * read takes the place of the first), nobody wants it any more (`stay`), the connection comes back between two attempts (the
 * next is made at once), a proxy refuses pages alone (they are tried again all the same). What Next reads ahead of a click
 * fails as it does: it is read again when it is wanted.
 */
export interface HeldNavigation {
  /** Whether a page is waited for. */
  isHeld(): boolean;
  subscribe(listener: () => void): () => void;
  /** Tries at once instead of waiting for the next attempt. */
  retryNow(): void;
  /** The page that is waited for is no longer wanted. Next has to be told as well. */
  stay(): void;
  /** Holds reads of pages from now on, until the returned function is called. */
  start(): () => void;
}

const PAUSE_LEAST_MS = 1_000;
const PAUSE_MOST_MS = 5_000;
/** What a proxy answers for a server that is away. */
const NOBODY_BEHIND = new Set([502, 503, 504]);

export function createHeldNavigation(): HeldNavigation {
  const listeners = new Set<() => void>();
  /** The address of the page that is wanted; of a read that is not of this one nobody awaits the end. */
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
      // Not an error, which would send Next to the browser after all.
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

/** The address of the page that Next reads because somebody opens it; null for every other request. */
function pageOf(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): string | null {
  const headers = new Headers(init?.headers);
  if (!(input instanceof URL) || headers.get('rsc') === null || headers.get('next-router-prefetch') !== null) return null;
  return input.pathname + input.search.replace(/[?&]_rsc=[^&]*/, '');
}
