import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { NoticeKind, Notices } from '../instance-store.ts';

/**
 * LISTEN and NOTIFY on a separate connection. What can go wrong:
 * - the connection is lost, maybe without a sign: it is asked every few seconds and opened again, and every listener is
 *   called, because messages may be missing; others may not have lost theirs, so the kinds of all messages that failed
 *   meanwhile are sent then;
 * - a message of a newer version: ignored;
 * - many messages of one kind at once: sent as one, because each only says that something changed.
 */
export interface ListeningNotices extends Notices {
  /** The connection is lost, and the database does not answer yet. */
  isAway(): boolean;
  close(): Promise<void>;
}

const CHANNEL = 'switchboard';
const AGAIN_MS = 250;
const LOOK_MS = 5_000;

export async function listenForNotices(url: string): Promise<ListeningNotices> {
  const listeners = new Map<string, Set<(about: string) => void>>();
  let client: pg.Client | null = null;
  let isClosed = false;
  let waiting = new Set<string>();
  let sending: Promise<void> | null = null;

  function notifyListeners(kind: string, about: string): void {
    for (const listener of listeners.get(kind) ?? []) listener(about);
  }

  async function connect(): Promise<void> {
    const fresh = new pg.Client({ connectionString: url, application_name: 'switchboard notices', keepAlive: true });
    fresh.on('error', () => undefined);
    fresh.on('notification', ({ payload = '' }) => {
      const kind = kindOf(payload);
      notifyListeners(kind, payload.slice(kind.length + 1));
    });
    try {
      await fresh.connect();
      await fresh.query(`listen ${CHANNEL}`);
    } catch (error) {
      await fresh.end().catch(() => undefined);
      throw error;
    }
    client = fresh;
    fresh.once('end', () => void connectAgain());
    if (isClosed) await fresh.end().catch(() => undefined);
  }

  /** A query without an answer at the next check. */
  let asked: pg.Client | null = null;
  const looking = setInterval(() => {
    const current = client;
    if (current === null) return;
    // Ends it also while a query waits.
    if (asked === current) return void current.end().catch(() => undefined);
    asked = current;
    current.query('select 1').then(
      () => (asked = null),
      () => undefined,
    );
  }, LOOK_MS).unref();

  async function connectAgain(): Promise<void> {
    client = null;
    while (!isClosed) {
      try {
        await connect();
        for (const kind of listeners.keys()) notifyListeners(kind, '');
        return sendWaiting();
      } catch {
        await delay(AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  function sendWaiting(): void {
    sending ??= sendAll().finally(() => (sending = null));
  }

  async function sendAll(): Promise<void> {
    for (let used = client; waiting.size > 0 && used !== null; used = client) {
      const batch = [...waiting];
      waiting = new Set();
      try {
        await used.query(`select pg_notify('${CHANNEL}', message) from unnest($1::text[]) as message`, [batch]);
      } catch {
        waiting = new Set([...batch, ...waiting].map(kindOf));
        // The connection ends next, and a new one is opened.
        if (client === used) return;
      }
    }
  }

  await connect();
  return {
    send(kind: NoticeKind, about = '') {
      waiting.add(about === '' || client === null ? kind : `${kind} ${about}`);
      sendWaiting();
    },
    on(kind, listener) {
      const all = listeners.get(kind) ?? new Set();
      listeners.set(kind, all);
      all.add(listener);
      return () => void all.delete(listener);
    },
    isAway: () => client === null && !isClosed,
    async close() {
      await sending;
      clearInterval(looking);
      isClosed = true;
      await client?.end().catch(() => undefined);
    },
  };
}

/** A message is a kind, or a kind, a space and a subject. */
function kindOf(message: string): string {
  return message.split(' ', 1)[0] ?? message;
}
