import { useCallback, useSyncExternalStore } from 'react';

/*
 * Text that is written and not yet sent or saved, by key. In memory, so that it outlives the component that shows it, and in the
 * storage of the tab, so that it outlives a reload. Where that storage is full or switched off the draft lasts as long as the page.
 */
export interface TextDrafts {
  read(key: string): string | null;
  /** Null or an empty text removes it. */
  write(key: string, text: string | null): void;
  /** What was sent is no draft any more; what was typed after it, while it was being sent, still is. */
  settle(key: string, sent: string): void;
  /** Keys that begin so, sorted, one a line: a text, so that React can compare it. */
  list(prefix: string): string;
  subscribe(listener: () => void): () => void;
}

const STORED = 'switchboard.draft.';

export function createTextDrafts(storage: () => Storage | null): TextDrafts {
  const memory = new Map<string, string | null>();
  const listeners = new Set<() => void>();

  function readStored(key: string): string | null {
    try {
      return storage()?.getItem(STORED + key) ?? null;
    } catch {
      return null;
    }
  }

  function store(key: string, text: string | null): void {
    try {
      // First, so that nothing older is left where the new text has no room.
      storage()?.removeItem(STORED + key);
      if (text !== null) storage()?.setItem(STORED + key, text);
    } catch {
      // Full or switched off: memory has it.
    }
  }

  function storedKeys(): string[] {
    try {
      const kept = storage();
      return kept === null
        ? []
        : Array.from({ length: kept.length }, (_, at) => kept.key(at) ?? '').filter((key) => key.startsWith(STORED));
    } catch {
      return [];
    }
  }

  function read(key: string): string | null {
    const known = memory.get(key);
    if (known !== undefined) return known;
    const stored = readStored(key);
    memory.set(key, stored);
    return stored;
  }

  function write(key: string, wanted: string | null): void {
    const text = wanted === '' ? null : wanted;
    if (read(key) === text) return;
    memory.set(key, text);
    store(key, text);
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
      const keys = new Set([...memory.keys(), ...storedKeys().map((key) => key.slice(STORED.length))]);
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

export const textDrafts = createTextDrafts(() => (typeof window === 'undefined' ? null : window.sessionStorage));

/** A text field whose text is still there after its page was left, and how to change it. */
export function useTextDraft(key: string): readonly [text: string, write: (text: string) => void] {
  const text = useSyncExternalStore(
    textDrafts.subscribe,
    () => textDrafts.read(key) ?? '',
    () => '',
  );
  const write = useCallback((next: string) => textDrafts.write(key, next), [key]);
  return [text, write];
}
