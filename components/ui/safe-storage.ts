/** Storage of the browser. It may be full or unavailable, which is no error: what it could not store lasts as long as the page. */
export interface SafeStorage {
  read(key: string): string | null;
  /** Null removes the text. False if it is not stored; then no older text remains. */
  write(key: string, text: string | null): boolean;
  keys(): readonly string[];
}

export function safeStorage(open: () => Storage | null): SafeStorage {
  function attempt<Result>(work: (storage: Storage) => Result, otherwise: Result): Result {
    try {
      const storage = open();
      return storage === null ? otherwise : work(storage);
    } catch {
      return otherwise;
    }
  }

  return {
    read: (key) => attempt((storage) => storage.getItem(key), null),
    write: (key, text) =>
      attempt((storage) => {
        storage.removeItem(key);
        if (text !== null) storage.setItem(key, text);
        return true;
      }, false),
    keys: () => attempt((storage) => Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? ''), []),
  };
}

export function ownStorage(kind: 'localStorage' | 'sessionStorage'): Storage | null {
  return typeof window === 'undefined' ? null : window[kind];
}
