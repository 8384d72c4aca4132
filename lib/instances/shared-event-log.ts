import type { EventData, EventType, HostEvent } from '#lib/contract/events.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { EventToShare, SharedStore } from '#lib/store/instance-store.ts';
import { createListeners, type EventLog } from '#lib/registry/event-log.ts';

/**
 * The events of all servers on one database, in the order of their ids there, so that a page that loses its server
 * can continue on another one. What can go wrong:
 * - the database is unreachable: events are buffered, the oldest are dropped above LIMITS.eventsKept, and an event makes pages reload;
 * - a notification is lost: the table is polled every second;
 * - a burst: events within POOL_MS are inserted with one statement.
 */
export interface SharedEventLogOptions {
  readonly shared: Pick<SharedStore, 'events' | 'notices'>;
  instance(): string;
  onListenerError(error: unknown): void;
}

const POOL_MS = 20;
const AGAIN_MS = 500;
const LOOK_MS = 1_000;
const READ_MOST = 1_000;
/** Number of appended events after which the table is trimmed. */
const TRIM_EVERY = 1_000;

export async function createSharedEventLog({ shared, instance, onListenerError }: SharedEventLogOptions): Promise<EventLog> {
  const { events, notices } = shared;
  const kept = LIMITS.eventsKept;
  const all = createListeners(onListenerError);
  const own = createListeners(onListenerError);
  let last = await events.newestId();
  let known: HostEvent[] = await events.after(Math.max(0, last - kept), kept);
  let waiting: EventToShare[] = [];
  let hasDropped = false;
  let appended = 0;
  let isClosed = false;
  let sending: Promise<void> | null = null;
  let reading: Promise<void> | null = null;
  let mustReadAgain = false;

  function plan(ms: number): void {
    sending ??= new Promise<void>((resolve) => setTimeout(resolve, ms).unref()).then(send).then((isSent) => {
      sending = null;
      if (waiting.length > 0 && !isClosed) plan(isSent ? POOL_MS : AGAIN_MS);
    });
  }

  /** False: the database did not store them. */
  async function send(): Promise<boolean> {
    const batch = waiting;
    waiting = [];
    if (hasDropped) batch.unshift({ type: 'host.resync', data: { snapshot_version: batch[0]?.data.snapshot_version ?? 0 } });
    try {
      await events.append(instance(), batch);
      hasDropped = false;
      notices.send('events');
      appended += batch.length;
      if (appended >= TRIM_EVERY) {
        appended = 0;
        // The events are stored; a later trim removes the old rows.
        await events.trim(kept).catch(() => undefined);
      }
      return true;
    } catch {
      waiting = [...batch.filter(({ type }) => type !== 'host.resync'), ...waiting];
      if (waiting.length > kept) {
        hasDropped = true;
        waiting = waiting.slice(-kept);
      }
      return false;
    }
  }

  function read(): void {
    if (isClosed) return;
    mustReadAgain = true;
    reading ??= readAll()
      .catch(() => undefined)
      .finally(() => (reading = null));
  }

  async function readAll(): Promise<void> {
    while (mustReadAgain && !isClosed) {
      mustReadAgain = false;
      const found = await events.after(last, READ_MOST);
      for (const event of found) {
        last = event.id;
        known.push(event);
        all.emit(event);
      }
      if (known.length > kept * 2) known = known.slice(-kept);
      if (found.length === READ_MOST) mustReadAgain = true;
    }
  }

  const off = notices.on('events', read);
  const looking = setInterval(read, LOOK_MS).unref();
  return {
    publish(type: EventType, data: EventData) {
      if (isClosed) return;
      waiting.push({ type, data });
      // The database assigns its id.
      own.emit({ id: 0, type, data });
      plan(POOL_MS);
    },
    lastId: () => last,
    since(id) {
      const oldest = known[0]?.id ?? last + 1;
      if (id > last || id + 1 < oldest) return null;
      return known.filter((event) => event.id > id);
    },
    subscribe: all.add,
    subscribeOwn: own.add,
    async close() {
      off();
      clearInterval(looking);
      await sending;
      if (waiting.length > 0) await send();
      isClosed = true;
      await reading;
    },
  };
}
