import { ownStorage, safeStorage } from '#components/ui/safe-storage.ts';

/*
 * Large drafts in IndexedDB, shared by all tabs. What can go wrong:
 * - the storage is full or unavailable: the text is not stored, its older version is removed, and the person is notified;
 * - the page closes during a write: the transaction is committed immediately;
 * - drafts of closed tabs pile up: the total size is limited, the oldest are removed first, and all expire after a week.
 */
export interface LargeDrafts {
  read(id: string): Promise<string | null>;
  /** Whether the text is stored. Of concurrent writes the last one wins. */
  write(id: string, text: string): Promise<boolean>;
  remove(id: string): void;
}

interface LargeDraftFacts {
  readonly id: string;
  readonly size: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

const NAME = 'switchboard.drafts';
const TEXTS = 'texts';
const FACTS = 'facts';
const MAX_SIZE = 64_000_000;
const MAX_AGE_MS = 7 * 24 * 60 * 60_000;

function createLargeDrafts(factory: () => IDBFactory): LargeDrafts {
  let opened: Promise<IDBDatabase> | null = null;
  let database: IDBDatabase | null = null;

  function open(): Promise<IDBDatabase> {
    opened ??= new Promise<IDBDatabase>((resolve, reject) => {
      const request = factory().open(NAME, 1);
      request.addEventListener('upgradeneeded', () => {
        request.result.createObjectStore(TEXTS);
        request.result.createObjectStore(FACTS, { keyPath: 'id' });
      });
      request.addEventListener('success', () => {
        database = request.result;
        const forget = () => (opened = database = null);
        // Browsers close the database when they clear its storage.
        database.addEventListener('close', forget);
        database.addEventListener('versionchange', () => {
          request.result.close();
          forget();
        });
        resolve(request.result);
      });
      request.addEventListener('error', () => reject(new Error('IndexedDB could not be opened.', { cause: request.error })));
    });
    opened.catch(() => (opened = null));
    return opened;
  }

  function change(of: IDBDatabase, act: (texts: IDBObjectStore, facts: IDBObjectStore) => void): Promise<boolean> {
    return new Promise((resolve) => {
      const transaction = of.transaction([TEXTS, FACTS], 'readwrite');
      transaction.addEventListener('complete', () => resolve(true));
      transaction.addEventListener('abort', () => resolve(false));
      act(transaction.objectStore(TEXTS), transaction.objectStore(FACTS));
    });
  }

  function put(into: IDBDatabase, id: string, text: string): Promise<boolean> {
    return change(into, (texts, facts) => {
      texts.put(text, id);
      facts.put({ id, size: text.length, at: Date.now() } satisfies LargeDraftFacts);
      texts.transaction.commit();
    });
  }

  function drop(from: IDBDatabase, ids: readonly string[]): Promise<boolean> {
    return change(from, (texts, facts) => {
      for (const id of ids) {
        texts.delete(id);
        facts.delete(id);
      }
    });
  }

  async function removeOld(into: IDBDatabase, id: string, size: number): Promise<void> {
    const stored = await answerOf<unknown[]>(into.transaction(FACTS).objectStore(FACTS).getAll());
    const gone = draftsToDrop(stored.flatMap(readFacts), { id, size, at: Date.now() });
    if (gone.length > 0) await drop(into, gone);
  }

  return {
    async read(id) {
      try {
        const of = await open();
        const text = await answerOf<unknown>(of.transaction(TEXTS).objectStore(TEXTS).get(id));
        return typeof text === 'string' ? text : null;
      } catch {
        return null;
      }
    },
    async write(id, text) {
      try {
        // Synchronously if open: the page may be closing.
        const into = database ?? (await open());
        if (text.length <= MAX_SIZE && (await put(into, id, text))) {
          await removeOld(into, id, text.length);
          return true;
        }
        await removeOld(into, id, Math.min(text.length, MAX_SIZE));
        if (text.length <= MAX_SIZE && (await put(into, id, text))) return true;
        await drop(into, [id]);
        return false;
      } catch {
        return false;
      }
    },
    remove(id) {
      open()
        .then(async (from) => drop(from, [id]))
        .catch(() => undefined);
    },
  };
}

/** Expired texts, then the oldest until the rest fits. */
export function draftsToDrop(stored: readonly LargeDraftFacts[], newest: LargeDraftFacts): string[] {
  let left = MAX_SIZE - newest.size;
  return stored
    .filter(({ id }) => id !== newest.id)
    .toSorted((one, other) => other.at - one.at)
    .filter(({ size, at }) => {
      left -= size;
      return left < 0 || newest.at - at > MAX_AGE_MS;
    })
    .map(({ id }) => id);
}

function readFacts(value: unknown): LargeDraftFacts[] {
  if (typeof value !== 'object' || value === null) return [];
  const { id, size, at }: Readonly<Record<string, unknown>> = { ...value };
  return typeof id === 'string' && typeof size === 'number' && typeof at === 'number' ? [{ id, size, at }] : [];
}

function answerOf<Answer>(request: IDBRequest<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(new Error('IndexedDB did not answer.', { cause: request.error })));
  });
}

/*
 * Input of a tool form, stored until the tab closes: small texts in session storage, large ones in IndexedDB with their key in
 * session storage; those must be loaded before they can be read. If a storage is unavailable or full, the draft lasts as long
 * as the page, and `isStored` reports that. No older version is left in its place. A duplicated tab starts with the large drafts
 * of the first and writes its own, so texts from before a reload are removed only by age. Payloads with secrets are stored
 * without them.
 */
export interface Drafts {
  read(tool: string, kind: DraftKind): string | null;
  write(tool: string, kind: DraftKind, text: string | null): void;
  /** Whether a large text must be loaded before `read` returns it. */
  needsFetch(tool: string): boolean;
  fetch(tool: string): Promise<void>;
  isStored(tool: string): boolean;
  subscribe(listener: () => void): () => void;
  /** Called on pagehide. */
  flush(): void;
}

/**
 * `payload`: JSON text. `half`: incomplete input of form fields. `good`: last valid payload. `before`: arguments that were
 * replaced, for restoring. `schema`: the schema it was typed for. `call`: id of the call shown last. `runs`: ids of calls
 * started here, newest first. `timeout`: seconds. `replay`: id of the call being edited.
 */
type DraftKind = 'payload' | 'good' | 'half' | 'before' | 'schema' | 'call' | 'runs' | 'timeout' | 'replay';

/** Larger texts go to IndexedDB: session storage holds 5 million characters and blocks the page while writing. */
const LARGE_FROM = 500_000;
const TYPED = ['payload', 'good'] as const;
const LARGE = [...TYPED, 'before'] as const;

export function createDrafts(storage: () => Storage | null, large: LargeDrafts): Drafts {
  const { read: stored, write: store } = safeStorage(storage);
  const memory = new Map<string, string>();
  const listeners = new Set<() => void>();
  const unstored = new Set<string>();
  /** Keys of large texts written by this page; a duplicated tab may share others. */
  const ownIds = new Set<string>();
  /** Keys being written to IndexedDB, with the text to write next. */
  const queued = new Map<string, string | null>();
  const keyOf = (tool: string, kind: DraftKind) => `switchboard.playground.${kind}.${tool}`;
  const largeKeyOf = (key: string) => key.replace('.playground.', '.elsewhere.');

  function notify(key: string, isStored: boolean) {
    if (isStored === !unstored.has(key)) return;
    if (isStored) unstored.delete(key);
    else unstored.add(key);
    for (const listener of listeners) listener();
  }

  /** One write at a time: of text typed meanwhile only the last is written. */
  function storeLarge(key: string, text: string): void {
    store(key, null);
    const before = stored(largeKeyOf(key));
    const id = before !== null && ownIds.has(before) ? before : crypto.getRandomValues(new Uint32Array(4)).join('-');
    ownIds.add(id);
    if (!store(largeKeyOf(key), id)) return notify(key, false);
    if (queued.has(key)) return void queued.set(key, text);
    queued.set(key, null);
    large.write(id, text).then(
      (isStored) => {
        const later = queued.get(key) ?? null;
        queued.delete(key);
        if (memory.get(key) === text) notify(key, isStored);
        else if (later !== null && memory.get(key) === later) storeLarge(key, later);
      },
      () => undefined,
    );
  }

  function removeLarge(key: string): void {
    const id = stored(largeKeyOf(key));
    if (id === null) return;
    if (ownIds.has(id)) large.remove(id);
    store(largeKeyOf(key), null);
  }

  return {
    read: (tool, kind) => memory.get(keyOf(tool, kind)) ?? stored(keyOf(tool, kind)),
    write(tool, kind, text) {
      const key = keyOf(tool, kind);
      if (text === null) memory.delete(key);
      else memory.set(key, text);
      if (text !== null && (text.length > LARGE_FROM || !store(key, text))) return storeLarge(key, text);
      removeLarge(key);
      if (text === null) store(key, null);
      notify(key, true);
    },
    needsFetch: (tool) => LARGE.some((kind) => !memory.has(keyOf(tool, kind)) && stored(largeKeyOf(keyOf(tool, kind))) !== null),
    async fetch(tool) {
      await Promise.all(
        LARGE.map(async (kind) => {
          const key = keyOf(tool, kind);
          const id = stored(largeKeyOf(key));
          const text = id === null || memory.has(key) ? null : await large.read(id);
          if (text !== null && !memory.has(key)) memory.set(key, text);
          // Dropped for newer ones or for its age.
          else if (id !== null && !memory.has(key)) store(largeKeyOf(key), null);
        }),
      );
    },
    isStored: (tool) => !TYPED.some((kind) => unstored.has(keyOf(tool, kind))),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    flush() {
      for (const [key, text] of queued) {
        const id = stored(largeKeyOf(key));
        if (text !== null && id !== null) void large.write(id, text);
      }
    },
  };
}

export const drafts = createDrafts(
  () => ownStorage('sessionStorage'),
  createLargeDrafts(() => window.indexedDB),
);

if (typeof window !== 'undefined') window.addEventListener('pagehide', drafts.flush);
