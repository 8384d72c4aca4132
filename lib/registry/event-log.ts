import type { EventData, EventType, HostEvent } from '#lib/contract/events.ts';
import { LIMITS } from '#lib/contract/limits.ts';

/**
 * The sequence of events. What can go wrong:
 * - the same id twice after a crash: ids are reserved in blocks before use, and a crash skips the rest of a block;
 * - the database refuses to reserve: events continue with the next ids, because the emitter could not handle the error,
 *   and the reservation is retried; such ids are reused only if the server dies before it succeeds;
 * - a listener that throws: the other listeners still get the event;
 * - a reader that returns too late: it gets `null`, never a gap.
 */
export interface EventLog {
  publish(type: EventType, data: EventData): void;
  lastId(): number;
  since(id: number): readonly HostEvent[] | null;
  subscribe(listener: (event: HostEvent) => void, types?: readonly EventType[]): () => void;
  /** Events of this server, immediately; with several servers on one database, `subscribe` also delivers those of the others. */
  subscribeOwn(listener: (event: HostEvent) => void, types?: readonly EventType[]): () => void;
  close(): Promise<void>;
}

export interface EventLogOptions {
  /** Reserves `count` unused ids; resolves to the first. */
  reserve(count: number): Promise<number>;
  /** The ids from `next` up to, but not including, `end` are reserved and unused. */
  release(next: number, end: number): Promise<void>;
  onListenerError(error: unknown): void;
  kept?: number;
}

const BLOCK = 10_000;
/** The next block is reserved when at most this many ids of the current one are left. */
const LEFT_LEAST = BLOCK / 2;
const RETRY_MS = 1_000;

export async function createEventLog(options: EventLogOptions): Promise<EventLog> {
  const kept = options.kept ?? LIMITS.eventsKept;
  const listeners = createListeners(options.onListenerError);
  let nextId = await options.reserve(BLOCK);
  let end = nextId + BLOCK;
  let upcoming: number | null = null;
  let reserving: Promise<void> | null = null;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;
  let events: HostEvent[] = [];

  function takeId(): number {
    if (nextId >= end && upcoming !== null) {
      nextId = Math.max(nextId, upcoming);
      end = Math.max(end, upcoming + BLOCK);
      upcoming = null;
    }
    if (end - nextId <= LEFT_LEAST && upcoming === null && retry === undefined && !isClosed) reserving ??= reserve();
    return nextId++;
  }

  async function reserve(): Promise<void> {
    try {
      upcoming = await options.reserve(BLOCK);
    } catch {
      retry = setTimeout(() => (retry = undefined), RETRY_MS).unref();
    } finally {
      reserving = null;
    }
  }

  return {
    publish(type, data) {
      const event: HostEvent = { id: takeId(), type, data };
      events.push(event);
      if (events.length > kept * 2) events = events.slice(-kept);
      listeners.emit(event);
    },
    lastId: () => nextId - 1,
    since(id) {
      const oldest = events[0]?.id ?? nextId;
      if (id >= nextId) return null;
      if (id + 1 < oldest) return null;
      return events.slice(id + 1 - oldest);
    },
    subscribe: listeners.add,
    subscribeOwn: listeners.add,
    async close() {
      isClosed = true;
      clearTimeout(retry);
      listeners.clear();
      await reserving;
      // Blocks are consecutive unless another server reserved one between them.
      if (upcoming === end) end += BLOCK;
      if (nextId <= end) await options.release(nextId, end).catch(() => undefined);
    },
  };
}

interface Listeners {
  emit(event: HostEvent): void;
  add(listen: (event: HostEvent) => void, types?: readonly EventType[]): () => void;
  clear(): void;
}

/** The other listeners get the event even when one throws. */
export function createListeners(onError: (error: unknown) => void): Listeners {
  const listeners = new Set<{ types: ReadonlySet<EventType> | null; listen(event: HostEvent): void }>();
  return {
    emit(event) {
      for (const { types, listen } of listeners) {
        if (types !== null && !types.has(event.type)) continue;
        try {
          listen(event);
        } catch (error) {
          onError(error);
        }
      }
    },
    add(listen, types) {
      const entry = { types: types === undefined ? null : new Set(types), listen };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    clear: () => listeners.clear(),
  };
}
