import type { EventData, EventType, HostEvent } from '#lib/contract/events.ts';
import { LIMITS } from '#lib/contract/limits.ts';

/**
 * The sequence of events. What can go wrong:
 * - the same id twice after a crash: ids are reserved in blocks before use, and a crash skips the rest of a block;
 * - a listener that throws: the other listeners still get the event;
 * - a reader that returns too late: it gets `null`, never a gap.
 */
export interface EventLog {
  publish(type: EventType, data: EventData): void;
  lastId(): number;
  since(id: number): readonly HostEvent[] | null;
  subscribe(listener: (event: HostEvent) => void, types?: readonly EventType[]): () => void;
  close(): void;
}

export interface EventLogOptions {
  reserve(count: number): number;
  release(next: number): void;
  onListenerError(error: unknown): void;
  kept?: number;
}

const BLOCK = 10_000;

export function createEventLog(options: EventLogOptions): EventLog {
  const kept = options.kept ?? LIMITS.eventsKept;
  const listeners = new Set<{ types: ReadonlySet<EventType> | null; listen(event: HostEvent): void }>();
  let nextId = options.reserve(BLOCK);
  let reservedUpTo = nextId + BLOCK;
  let events: HostEvent[] = [];

  function takeId(): number {
    if (nextId >= reservedUpTo) {
      nextId = Math.max(nextId, options.reserve(BLOCK));
      reservedUpTo = nextId + BLOCK;
    }
    return nextId++;
  }

  return {
    publish(type, data) {
      const event: HostEvent = { id: takeId(), type, data };
      events.push(event);
      if (events.length > kept * 2) events = events.slice(-kept);
      for (const { types, listen } of listeners) {
        if (types !== null && !types.has(type)) continue;
        try {
          listen(event);
        } catch (error) {
          options.onListenerError(error);
        }
      }
    },
    lastId: () => nextId - 1,
    since(id) {
      const oldest = events[0]?.id ?? nextId;
      if (id >= nextId) return null;
      if (id + 1 < oldest) return null;
      return events.slice(id + 1 - oldest);
    },
    subscribe(listen, types) {
      const entry = { types: types === undefined ? null : new Set(types), listen };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    close() {
      listeners.clear();
      options.release(nextId);
    },
  };
}
