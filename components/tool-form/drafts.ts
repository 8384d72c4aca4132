import { createLargeDrafts } from './large-drafts.ts';
import type { LargeDrafts } from './large-drafts.ts';

/*
 * What was typed for a tool, kept until the tab is closed: at once in the storage of the tab, as long as it is not large. A large
 * text goes to IndexedDB (large-drafts.ts), and the tab's storage keeps what it is called there; it has to be fetched before it
 * can be read. Either can be switched off or full; then a draft lasts as long as the page, and `isKept` says so. Nothing older
 * is left in its place. A duplicated tab
 * begins with the large drafts of the first and writes its own, so what was written before a reload is left to its age. Secrets are never stored: a
 * payload with one is kept without it.
 */
export interface Drafts {
  read(tool: string, kind: DraftKind): string | null;
  write(tool: string, kind: DraftKind, text: string | null): void;
  /** Whether something large has to be fetched before `read` can tell it. */
  isElsewhere(tool: string): boolean;
  fetch(tool: string): Promise<void>;
  /** Whether what was typed for a tool outlives the page. */
  isKept(tool: string): boolean;
  subscribe(listener: () => void): () => void;
  /** The page goes: what waits for its turn is written now. */
  flush(): void;
}

/**
 * `payload`: the JSON text as it stands. `half`: what stands in fields of the form and is no value yet. `good`: what it was while it could last be read. `before`: what other arguments took the
 * place of, until it is brought back. `schema`: what it was typed for. `call`: id of the call whose result was shown last. `runs`: ids of the
 * calls started here, newest first. `timeout`: seconds. `replay`: id of the call whose arguments are edited.
 */
export type DraftKind = 'payload' | 'good' | 'half' | 'before' | 'schema' | 'call' | 'runs' | 'timeout' | 'replay';

/** More characters than these are kept in IndexedDB: the storage of a tab holds five millions, and writing to it stops the page. */
const LARGE_FROM = 500_000;
const TYPED = ['payload', 'good'] as const;
const LARGE = [...TYPED, 'before'] as const;

export function createDrafts(storage: () => Storage | null, large: LargeDrafts): Drafts {
  const memory = new Map<string, string>();
  const listeners = new Set<() => void>();
  const lost = new Set<string>();
  /** Names of large texts that this page has written; another tab may have the ones it found, too. */
  const own = new Set<string>();
  /** Of keys that are being written elsewhere: the text that comes after, if there is one. */
  const next = new Map<string, string | null>();
  const keyOf = (tool: string, kind: DraftKind) => `switchboard.bench.${kind}.${tool}`;
  const placeOf = (key: string) => key.replace('.bench.', '.elsewhere.');

  const stored = (key: string): string | null => {
    try {
      return storage()?.getItem(key) ?? null;
    } catch {
      return null;
    }
  };

  /** Whether the storage of the tab has it, or has it no more. */
  function store(key: string, text: string | null): boolean {
    try {
      const kept = storage();
      kept?.removeItem(key);
      if (text !== null) kept?.setItem(key, text);
      return kept !== null;
    } catch {
      return false;
    }
  }

  function tell(key: string, isKept: boolean) {
    if (isKept === !lost.has(key)) return;
    if (isKept) lost.delete(key);
    else lost.add(key);
    for (const listener of listeners) listener();
  }

  /** One at a time: of what is typed meanwhile only the last is written. */
  function storeElsewhere(key: string, text: string): void {
    store(key, null);
    const before = stored(placeOf(key));
    const id = before !== null && own.has(before) ? before : crypto.getRandomValues(new Uint32Array(4)).join('-');
    own.add(id);
    if (!store(placeOf(key), id)) return tell(key, false);
    if (next.has(key)) return void next.set(key, text);
    next.set(key, null);
    large.write(id, text).then(
      (isKept) => {
        const later = next.get(key) ?? null;
        next.delete(key);
        if (memory.get(key) === text) tell(key, isKept);
        else if (later !== null && memory.get(key) === later) storeElsewhere(key, later);
      },
      () => undefined,
    );
  }

  function forgetElsewhere(key: string): void {
    const id = stored(placeOf(key));
    if (id === null) return;
    if (own.has(id)) large.remove(id);
    store(placeOf(key), null);
  }

  return {
    read: (tool, kind) => memory.get(keyOf(tool, kind)) ?? stored(keyOf(tool, kind)),
    write(tool, kind, text) {
      const key = keyOf(tool, kind);
      if (text === null) memory.delete(key);
      else memory.set(key, text);
      if (text !== null && (text.length > LARGE_FROM || !store(key, text))) return storeElsewhere(key, text);
      forgetElsewhere(key);
      if (text === null) store(key, null);
      tell(key, true);
    },
    isElsewhere: (tool) => LARGE.some((kind) => !memory.has(keyOf(tool, kind)) && stored(placeOf(keyOf(tool, kind))) !== null),
    async fetch(tool) {
      await Promise.all(
        LARGE.map(async (kind) => {
          const key = keyOf(tool, kind);
          const id = stored(placeOf(key));
          const text = id === null || memory.has(key) ? null : await large.read(id);
          if (text !== null && !memory.has(key)) memory.set(key, text);
          // Gone for newer ones, or for its age.
          else if (id !== null && !memory.has(key)) store(placeOf(key), null);
        }),
      );
    },
    isKept: (tool) => !TYPED.some((kind) => lost.has(keyOf(tool, kind))),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    flush() {
      for (const [key, text] of next) {
        const id = stored(placeOf(key));
        if (text !== null && id !== null) void large.write(id, text);
      }
    },
  };
}

export const drafts = createDrafts(
  () => (typeof window === 'undefined' ? null : window.sessionStorage),
  createLargeDrafts(() => window.indexedDB),
);

if (typeof window !== 'undefined') window.addEventListener('pagehide', drafts.flush);
