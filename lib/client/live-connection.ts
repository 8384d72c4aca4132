import { EVENT_TYPES, eventDataSchema } from '#lib/contract/events.ts';
import type { EventData, EventType } from '#lib/contract/events.ts';
import { API } from '#lib/contract/paths.ts';
import { parseJson } from './api-problem.ts';

/*
 * The page's one event stream. What can go wrong:
 * - the line drops: the browser connects again by itself and names the last event it saw, so nothing is lost;
 * - the server refuses (starting, stopping, too many streams): the browser gives up for good, so we open a new stream
 *   with growing pauses; that one starts without history;
 * - something changed between the server's render and the first connection.
 * For the last two, every time a stream opens the listener hears `opened` and refetches what is on the page.
 */
export interface LiveState {
  /** `stale`: no connection for a while; what is shown may be old. */
  readonly state: 'connecting' | 'live' | 'reconnecting' | 'stale';
  /** When the connection was lost, in epoch milliseconds; null while there is one. */
  readonly since: number | null;
}

export interface LiveListener {
  opened(): void;
  event(type: EventType, data: EventData): void;
}

export interface LiveConnection {
  start(): void;
  state(): LiveState;
  subscribeState(listener: () => void): () => void;
  subscribe(listener: LiveListener): () => void;
  /** Tries at once instead of waiting for the next attempt. */
  retryNow(): void;
  close(): void;
}

const STALE_AFTER_MS = 8_000;
const PAUSE_LEAST_MS = 1_000;
const PAUSE_MOST_MS = 15_000;

export const BEFORE_FIRST_CONNECTION: LiveState = { state: 'connecting', since: null };

export function createLiveConnection(open: (url: string) => EventSource = (url) => new EventSource(url)): LiveConnection {
  const listeners = new Set<LiveListener>();
  const stateListeners = new Set<() => void>();
  let source: EventSource | null = null;
  let current = BEFORE_FIRST_CONNECTION;
  let pause = PAUSE_LEAST_MS;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let staleTimer: ReturnType<typeof setTimeout> | undefined;

  function become(next: LiveState) {
    current = next;
    for (const listener of stateListeners) listener();
  }

  function lost() {
    if (current.state === 'reconnecting' || current.state === 'stale') return;
    const since = Date.now();
    become({ state: 'reconnecting', since });
    staleTimer = setTimeout(() => become({ state: 'stale', since }), STALE_AFTER_MS);
  }

  function connect() {
    clearTimeout(retryTimer);
    source?.close();
    const mine = open(API.events);
    source = mine;
    mine.addEventListener('open', () => {
      if (source !== mine) return;
      clearTimeout(staleTimer);
      pause = PAUSE_LEAST_MS;
      become({ state: 'live', since: null });
      for (const listener of listeners) listener.opened();
    });
    mine.addEventListener('error', () => {
      if (source !== mine) return;
      lost();
      if (mine.readyState !== EventSource.CLOSED) return;
      retryTimer = setTimeout(connect, pause);
      pause = Math.min(pause * 2, PAUSE_MOST_MS);
    });
    for (const type of EVENT_TYPES) {
      mine.addEventListener(type, (message) => {
        if (source !== mine) return;
        const text: unknown = message.data;
        const data = eventDataSchema.safeParse(typeof text === 'string' ? parseJson(text) : text);
        if (!data.success) return;
        for (const listener of listeners) listener.event(type, data.data);
      });
    }
  }

  return {
    start() {
      if (source === null) connect();
    },
    state: () => current,
    subscribeState(listener) {
      stateListeners.add(listener);
      return () => void stateListeners.delete(listener);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    retryNow() {
      pause = PAUSE_LEAST_MS;
      if (source !== null && current.state !== 'live') connect();
    },
    close() {
      clearTimeout(retryTimer);
      clearTimeout(staleTimer);
      source?.close();
      source = null;
      become(BEFORE_FIRST_CONNECTION);
    },
  };
}
