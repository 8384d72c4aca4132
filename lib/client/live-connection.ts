import { EVENT_TYPES, type EventType, HEARTBEAT } from '#lib/contract/event-types.ts';
import type { EventData } from '#lib/contract/events.ts';
import { API } from '#lib/contract/paths.ts';
import { sessionWatch } from './session-watch.ts';

/*
 * The event stream of the page. What can go wrong:
 * - the connection drops: the browser reconnects automatically with the id of the last event, so nothing is lost;
 * - the server refuses (starting, stopping, too many streams): the browser gives up, so a new stream is opened with growing
 *   delays; it starts without history;
 * - the stream is dead without an error (sleep, another network, a proxy): the server sends a heartbeat every 15 seconds, and
 *   after 40 seconds without any a new stream is opened; immediately when the browser is online again or the page is visible
 *   again, since timers do not run during sleep;
 * - something changed between the server's render and the first connection: the first stream continues after the last event of
 *   the render, and a stream of a page that is visible again after the last received event.
 * Whenever another stream opens, the listener gets `opened` and refetches the page's data.
 */
export interface LiveState {
  /** `stale`: disconnected for a while; the page may be outdated. */
  readonly state: 'connecting' | 'live' | 'reconnecting' | 'stale';
  /** When the connection was lost, in epoch milliseconds; null while connected. */
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
  /** Retries now instead of waiting for the next attempt. */
  retryNow(): void;
  close(): void;
}

const STALE_AFTER_MS = 8_000;
const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 15_000;
/** More than two heartbeats. */
const MAX_SILENCE_MS = 40_000;
/** One heartbeat and its tolerance. */
const SILENT_SOON_MS = 20_000;
/** Timeout for opening a stream. */
const OPEN_TIMEOUT_MS = 15_000;

export const BEFORE_FIRST_CONNECTION: LiveState = { state: 'connecting', since: null };

/** `since`: id of the last event included in the server's render; the first stream continues after it. */
export function createLiveConnection(
  open: (url: string) => EventSource = (url) => new EventSource(url),
  since: number | null = null,
): LiveConnection {
  const listeners = new Set<LiveListener>();
  const stateListeners = new Set<() => void>();
  let source: EventSource | null = null;
  let resumeAfter = since;
  let current = BEFORE_FIRST_CONNECTION;
  let delay = MIN_DELAY_MS;
  let lastId = since;
  let lastMessageAt = 0;
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;
  let endListening: () => void = () => undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let staleTimer: ReturnType<typeof setTimeout> | undefined;

  function setState(next: LiveState) {
    current = next;
    for (const listener of stateListeners) listener();
  }

  function onDisconnect() {
    if (current.state === 'reconnecting' || current.state === 'stale') return;
    const since = Date.now();
    setState({ state: 'reconnecting', since });
    staleTimer = setTimeout(() => setState({ state: 'stale', since }), STALE_AFTER_MS);
  }

  function connect() {
    clearTimeout(retryTimer);
    source?.close();
    const stream = open(`${API.events}?heartbeats=true${resumeAfter === null ? '' : `&last_event_id=${resumeAfter}`}`);
    let isContinuous = resumeAfter !== null;
    resumeAfter = null;
    source = stream;
    startSilenceTimer(OPEN_TIMEOUT_MS + delay);
    stream.addEventListener('open', () => {
      if (source !== stream) return;
      onMessage();
      clearTimeout(staleTimer);
      delay = MIN_DELAY_MS;
      setState({ state: 'live', since: null });
      if (!isContinuous) for (const listener of listeners) listener.opened();
      isContinuous = false;
    });
    stream.addEventListener('error', () => {
      if (source !== stream) return;
      onDisconnect();
      startSilenceTimer(OPEN_TIMEOUT_MS + delay);
      if (stream.readyState !== EventSource.CLOSED) return;
      // The browser does not report the reason.
      sessionWatch.reportRejection();
      clearTimeout(silenceTimer);
      retryTimer = setTimeout(connect, delay);
      delay = Math.min(delay * 2, MAX_DELAY_MS);
    });
    stream.addEventListener(HEARTBEAT, (message) => {
      if (source === stream) onMessage(message);
    });
    for (const type of EVENT_TYPES) {
      stream.addEventListener(type, (message) => {
        if (source !== stream) return;
        onMessage(message);
        const data = readEventData(message.data);
        if (data !== null) for (const listener of listeners) listener.event(type, data);
      });
    }
  }

  /** A sign of life. A heartbeat carries the id of the last event, since it has none of its own. */
  function onMessage(message?: MessageEvent<unknown>) {
    lastMessageAt = Date.now();
    const id = message?.lastEventId ?? '';
    if (/^\d+$/.test(id)) lastId = Number(id);
    startSilenceTimer(MAX_SILENCE_MS);
  }

  function startSilenceTimer(max: number) {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(() => {
      onDisconnect();
      delay = Math.min(delay * 2, MAX_DELAY_MS);
      connect();
    }, max);
  }

  /** After a network change the stream may be dead and the page outdated. */
  function onOnline() {
    delay = MIN_DELAY_MS;
    connect();
  }

  function onVisible() {
    if (document.visibilityState !== 'visible' || current.state === 'connecting') return;
    // Reads during the disconnection may have failed, so everything is refetched.
    resumeAfter = current.state === 'live' ? lastId : null;
    onOnline();
  }

  /** A page that stayed visible while its machine slept. */
  function onFocus() {
    if (Date.now() - lastMessageAt > SILENT_SOON_MS) onOnline();
  }

  function listen(): () => void {
    const controller = new AbortController();
    const { signal } = controller;
    window.addEventListener('online', onOnline, { signal });
    window.addEventListener('focus', onFocus, { signal });
    document.addEventListener('visibilitychange', onVisible, { signal });
    return () => controller.abort();
  }

  return {
    start() {
      if (source !== null) return;
      endListening = listen();
      connect();
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
      delay = MIN_DELAY_MS;
      if (source !== null && current.state !== 'live') connect();
    },
    close() {
      endListening();
      clearTimeout(silenceTimer);
      clearTimeout(retryTimer);
      clearTimeout(staleTimer);
      source?.close();
      source = null;
      setState(BEFORE_FIRST_CONNECTION);
    },
  };
}

const TEXTS = ['call_id', 'tool', 'extension', 'status', 'group_id', 'channel', 'message_id'] as const;

/** Ids of an event; null for invalid data. */
function readEventData(text: unknown): EventData | null {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return null;
  const { snapshot_version: snapshotVersion, revision, ...rest }: Readonly<Record<string, unknown>> = { ...value };
  if (typeof snapshotVersion !== 'number' || !Number.isInteger(snapshotVersion)) return null;
  if (TEXTS.some((name) => rest[name] !== undefined && typeof rest[name] !== 'string')) return null;
  const texts = Object.fromEntries(TEXTS.flatMap((name) => (typeof rest[name] === 'string' ? [[name, rest[name]]] : [])));
  return { snapshot_version: snapshotVersion, ...(typeof revision === 'number' || revision === null ? { revision } : {}), ...texts };
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}
