import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLiveConnection, type LiveConnection } from './live-connection.ts';

class FakeSource extends EventTarget {
  static readonly CLOSED = 2;
  readyState = 0;
  closed = false;

  close() {
    this.closed = true;
    this.readyState = FakeSource.CLOSED;
  }

  opens() {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
  }

  drops() {
    this.readyState = 0;
    this.dispatchEvent(new Event('error'));
  }

  isRefused() {
    this.readyState = FakeSource.CLOSED;
    this.dispatchEvent(new Event('error'));
  }

  sends(type: string, data: unknown, lastEventId = '') {
    this.dispatchEvent(new MessageEvent(type, { data: typeof data === 'string' ? data : JSON.stringify(data), lastEventId }));
  }
}

const sources: FakeSource[] = [];
const addresses: string[] = [];
let live: LiveConnection;
const opened = vi.fn<() => void>();
const onEvent = vi.fn<(type: string, data: object) => void>();

function last(): FakeSource {
  const source = sources.at(-1);
  if (source === undefined) throw new Error('No stream was opened.');
  return source;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', FakeSource);
  sources.length = 0;
  opened.mockReset();
  onEvent.mockReset();
  addresses.length = 0;
  live = createLiveConnection((address) => {
    addresses.push(address);
    const source = new FakeSource();
    sources.push(source);
    // A fake with only the members that are used.
    return source as unknown as EventSource;
  });
  live.subscribe({ opened, event: onEvent });
  live.start();
});

afterEach(() => {
  live.close();
  vi.useRealTimers();
});

it('is live once the stream is open, and emits a refetch', () => {
  expect(live.state().state).toBe('connecting');
  last().opens();
  expect(live.state()).toEqual({ state: 'live', since: null });
  expect(opened).toHaveBeenCalledOnce();
});

it('emits known events and ignores others', () => {
  last().opens();
  last().sends('call.finished', { snapshot_version: 3, call_id: 'c' });
  last().sends('call.finished', 'not json');
  last().sends('something.else', { snapshot_version: 3 });
  expect(onEvent).toHaveBeenCalledExactlyOnceWith('call.finished', { snapshot_version: 3, call_id: 'c' });
});

it('leaves reconnecting to the browser, and is stale if that takes too long', () => {
  last().opens();
  last().drops();
  expect(live.state().state).toBe('reconnecting');
  vi.advanceTimersByTime(8_000);
  expect(live.state().state).toBe('stale');
  expect(sources).toHaveLength(1);
  last().opens();
  expect(live.state().state).toBe('live');
  expect(opened).toHaveBeenCalledTimes(2);
});

it('opens a new stream with growing delays after the server rejected one', () => {
  last().isRefused();
  vi.advanceTimersByTime(1_000);
  expect(sources).toHaveLength(2);
  last().isRefused();
  vi.advanceTimersByTime(1_999);
  expect(sources).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(sources).toHaveLength(3);
});

it('retries immediately on request, unless it is live', () => {
  last().opens();
  live.retryNow();
  expect(sources).toHaveLength(1);
  last().drops();
  live.retryNow();
  expect(sources).toHaveLength(2);
  expect(sources[0]?.closed).toBe(true);
});

it('ignores events of an abandoned stream', () => {
  const first = last();
  first.drops();
  live.retryNow();
  first.sends('call.finished', { snapshot_version: 1 });
  expect(onEvent).not.toHaveBeenCalled();
});

it('stops streams and timers when closed', () => {
  const source = last();
  source.isRefused();
  live.close();
  vi.advanceTimersByTime(60_000);
  expect(sources).toHaveLength(1);
});

const SECOND = 1_000;

function seen(state: 'hidden' | 'visible') {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);
  document.dispatchEvent(new Event('visibilitychange'));
}

it('opens a new stream after 40 seconds without data, and emits a refetch', () => {
  last().opens();
  vi.advanceTimersByTime(39 * SECOND);
  expect(live.state().state).toBe('live');
  vi.advanceTimersByTime(SECOND);
  expect(live.state().state).toBe('reconnecting');
  expect(sources).toHaveLength(2);
  expect(sources[0]?.closed).toBe(true);
  last().opens();
  expect(live.state().state).toBe('live');
  expect(opened).toHaveBeenCalledTimes(2);
});

it('counts heartbeats and events as signs of life', () => {
  last().opens();
  for (const type of ['heartbeat', 'call.finished', 'heartbeat', 'heartbeat', 'heartbeat']) {
    vi.advanceTimersByTime(30 * SECOND);
    last().sends(type, { snapshot_version: 1 });
  }
  expect(live.state().state).toBe('live');
  expect(sources).toHaveLength(1);
  expect(onEvent).toHaveBeenCalledTimes(1);
});

it('replaces a stream that neither opens nor fails', () => {
  last().opens();
  last().drops();
  vi.advanceTimersByTime(20 * SECOND);
  expect(sources).toHaveLength(2);
  vi.advanceTimersByTime(40 * SECOND);
  expect(sources.length).toBeGreaterThan(2);
  expect(live.state().state).toBe('stale');
});

it('opens a new stream immediately when the browser is online again, and emits a refetch', () => {
  last().opens();
  window.dispatchEvent(new Event('online'));
  expect(sources).toHaveLength(2);
  expect(addresses[1]).toBe('/api/v1/events?heartbeats=true');
  last().opens();
  expect(opened).toHaveBeenCalledTimes(2);
});

it('continues after the last event in a new stream when the page is visible again', () => {
  last().opens();
  last().sends('call.finished', { snapshot_version: 3 }, '41');
  last().sends('heartbeat', { snapshot_version: 3 }, '42');
  seen('hidden');
  expect(sources).toHaveLength(1);
  seen('visible');
  expect(addresses[1]).toBe('/api/v1/events?heartbeats=true&last_event_id=42');
  last().opens();
  expect(opened).toHaveBeenCalledTimes(1);
});

it('emits a refetch if the connection was lost before the page is visible again', () => {
  last().opens();
  last().sends('call.finished', { snapshot_version: 3 }, '41');
  last().drops();
  seen('visible');
  expect(addresses[1]).toBe('/api/v1/events?heartbeats=true');
  last().opens();
  expect(opened).toHaveBeenCalledTimes(2);
});

it('replaces a silent stream when the window gets the focus', () => {
  last().opens();
  vi.advanceTimersByTime(19 * SECOND);
  window.dispatchEvent(new Event('focus'));
  expect(sources).toHaveLength(1);
  vi.advanceTimersByTime(2 * SECOND);
  window.dispatchEvent(new Event('focus'));
  expect(sources).toHaveLength(2);
});

it('emits nothing after it is closed', () => {
  last().opens();
  live.close();
  window.dispatchEvent(new Event('online'));
  seen('visible');
  vi.advanceTimersByTime(60 * SECOND);
  expect(sources).toHaveLength(1);
});
