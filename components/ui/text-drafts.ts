import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { ownStorage, safeStorage } from './safe-storage.ts';

/*
 * Unsent or unsaved text by key: in memory, so that it outlives its component, and in session storage, so that it outlives a
 * reload. If that storage is full or unavailable, the draft lasts as long as the page.
 */
export interface TextDrafts {
  read(key: string): string | null;
  write(key: string, text: string | null): void;
  /** Removes the sent text; text typed while it was sent remains a draft. */
  settle(key: string, sent: string): void;
  /** Keys with a prefix, sorted, one per line: a string, so that React can compare it. */
  list(prefix: string): string;
  subscribe(listener: () => void): () => void;
}

const STORED = 'switchboard.draft.';

export function createTextDrafts(storage: () => Storage | null): TextDrafts {
  const stored = safeStorage(storage);
  const memory = new Map<string, string | null>();
  const listeners = new Set<() => void>();

  function read(key: string): string | null {
    const known = memory.get(key);
    if (known !== undefined) return known;
    const text = stored.read(STORED + key);
    memory.set(key, text);
    return text;
  }

  function write(key: string, wanted: string | null): void {
    const text = wanted === '' ? null : wanted;
    if (read(key) === text) return;
    memory.set(key, text);
    stored.write(STORED + key, text);
    for (const listener of listeners) listener();
  }

  return {
    read,
    write,
    settle(key, sent) {
      const text = read(key);
      if (text?.startsWith(sent) === true) write(key, text.slice(sent.length).trimStart());
    },
    list(prefix) {
      const storedKeys = stored.keys().filter((key) => key.startsWith(STORED));
      const keys = new Set([...memory.keys(), ...storedKeys.map((key) => key.slice(STORED.length))]);
      return [...keys]
        .filter((key) => key.startsWith(prefix) && read(key) !== null)
        .toSorted()
        .join('\n');
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export const textDrafts = createTextDrafts(() => ownStorage('sessionStorage'));

export function useTextDraft(key: string): readonly [text: string, write: (text: string) => void] {
  const text = useSyncExternalStore(
    textDrafts.subscribe,
    () => textDrafts.read(key) ?? '',
    () => '',
  );
  const write = useCallback((next: string) => textDrafts.write(key, next), [key]);
  return [text, write];
}

const asksFor = new Set<string>();

/** The browser asks before closing a tab with drafts of this prefix, also after the component is gone: they are still unsaved. */
export function useAskBeforeUnload(prefix: string): void {
  useEffect(() => {
    if (asksFor.has(prefix)) return;
    asksFor.add(prefix);
    window.addEventListener('beforeunload', (event) => {
      if (textDrafts.list(prefix) !== '') event.preventDefault();
    });
  }, [prefix]);
}

/** Keys of the drafts with a prefix, without it. */
export function useDraftKeys(prefix: string): ReadonlySet<string> {
  const listed = useSyncExternalStore(
    textDrafts.subscribe,
    () => textDrafts.list(prefix),
    () => '',
  );
  return useMemo(() => new Set(listed === '' ? [] : listed.split('\n').map((key) => key.slice(prefix.length))), [listed, prefix]);
}
