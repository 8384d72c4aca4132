/*
 * Texts too large for the storage of a tab, in IndexedDB, where all tabs share one room. What can go wrong: the room is full, or
 * closed to this page (the text is not kept, nothing older of it is left, and whoever wrote it is told), the page goes while
 * a text is being written (it is handed over at once and committed, not held back), texts of tabs that were closed pile up
 * (all together are bounded, the oldest go first, and any that nobody wrote for a week).
 */
export interface LargeDrafts {
  read(id: string): Promise<string | null>;
  /** Whether the text is kept now. Of several in a row the last one counts. */
  write(id: string, text: string): Promise<boolean>;
  remove(id: string): void;
}

export interface LargeDraftFacts {
  readonly id: string;
  readonly size: number;
  /** When it was written, in epoch milliseconds. */
  readonly at: number;
}

const NAME = 'switchboard.drafts';
const TEXTS = 'texts';
const FACTS = 'facts';
const KEPT_MOST = 64_000_000;
const KEPT_MS = 7 * 24 * 60 * 60_000;

export function createLargeDrafts(factory: () => IDBFactory): LargeDrafts {
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
        // A browser that clears this room closes it.
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

  async function makeRoom(into: IDBDatabase, id: string, size: number): Promise<void> {
    const kept = await answerOf<unknown[]>(into.transaction(FACTS).objectStore(FACTS).getAll());
    const gone = draftsToDrop(kept.flatMap(readFacts), { id, size, at: Date.now() });
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
        // Without a wait where it is open: the page may be on its way out.
        const into = database ?? (await open());
        if (text.length <= KEPT_MOST && (await put(into, id, text))) {
          await makeRoom(into, id, text.length);
          return true;
        }
        await makeRoom(into, id, Math.min(text.length, KEPT_MOST));
        if (text.length <= KEPT_MOST && (await put(into, id, text))) return true;
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

/** What has to go so that the newest has room: what is too old, then the oldest until the rest fits. */
export function draftsToDrop(kept: readonly LargeDraftFacts[], newest: LargeDraftFacts): string[] {
  let room = KEPT_MOST - newest.size;
  return kept
    .filter(({ id }) => id !== newest.id)
    .toSorted((one, other) => other.at - one.at)
    .filter(({ size, at }) => {
      room -= size;
      return room < 0 || newest.at - at > KEPT_MS;
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
