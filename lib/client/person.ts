/*
 * The name people give themselves (stored in this browser, sent as `x-actor`) and the admin token (stored until the tab
 * closes). If storage is unavailable, both last as long as the page.
 */
const NAME_KEY = 'switchboard.name';
const TOKEN_KEY = 'switchboard.admin-token';
const ASKED_KEY = 'switchboard.name-asked';

/** `missing`: the server's explanation of why the token is needed. */
type Ask = (wrong: boolean, missing?: string) => Promise<string | null>;

function createPerson() {
  const memory = new Map<string, string>();
  const listeners = new Set<() => void>();
  let ask: Ask | null = null;
  let openDialog: Promise<string | null> | null = null;

  function read(kind: 'localStorage' | 'sessionStorage', key: string): string | null {
    if (typeof window === 'undefined') return null;
    try {
      return window[kind].getItem(key) ?? memory.get(key) ?? null;
    } catch {
      return memory.get(key) ?? null;
    }
  }

  function write(kind: 'localStorage' | 'sessionStorage', key: string, value: string | null) {
    if (value === null) memory.delete(key);
    else memory.set(key, value);
    try {
      if (value === null) window[kind].removeItem(key);
      else window[kind].setItem(key, value);
    } catch {
      return;
    } finally {
      for (const listener of listeners) listener();
    }
  }

  return {
    name: () => read('localStorage', NAME_KEY),
    setName(name: string) {
      const trimmed = name.trim().slice(0, 64);
      write('localStorage', NAME_KEY, trimmed === '' ? null : trimmed);
    },
    /** Whether the person chose no name; they are not asked again. */
    wasAsked: () => read('localStorage', ASKED_KEY) !== null,
    noteAsked: () => write('localStorage', ASKED_KEY, 'yes'),
    adminToken: () => read('sessionStorage', TOKEN_KEY),
    setAdminToken(token: string | null) {
      write('sessionStorage', TOKEN_KEY, token);
    },
    /** Called when name or token change; returns the unsubscribe function. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Registers the token dialog; returns the unregister function. */
    onTokenWanted(handler: Ask): () => void {
      ask = handler;
      return () => {
        if (ask === handler) ask = null;
      };
    },
    /** One dialog for concurrent requests; null if it is cancelled. */
    askForAdminToken(...question: Parameters<Ask>): Promise<string | null> {
      if (ask === null) return Promise.resolve(null);
      openDialog ??= ask(...question).finally(() => {
        openDialog = null;
      });
      return openDialog;
    },
  };
}

export const person = createPerson();

/** Names are sent in a header, so characters outside ASCII are percent-encoded. */
export function actorHeader(name: string): string {
  return /^[\x20-\x7e]+$/.test(name) ? name : encodeURIComponent(name);
}
