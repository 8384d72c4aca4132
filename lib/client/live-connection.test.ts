import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLiveConnection } from './live-connection.ts';
import type { LiveConnection } from './live-connection.ts';

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

  sends(type: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(type, { data: typeof data === 'string' ? data : JSON.stringify(data) }));
  }
}

const sources: FakeSource[] = [];
let live: LiveConnection;
const opened = vi.fn<() => void>();
const heard = vi.fn<(type: string, data: object) => void>();

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
  heard.mockReset();
  live = createLiveConnection(() => {
    const source = new FakeSource();
    sources.push(source);
    // A stand-in for the browser's own class, of which only these members are used.
    return source as unknown as EventSource;
  });
  live.subscribe({ opened, event: heard });
  live.start();
});

afterEach(() => {
  live.close();
  vi.useRealTimers();
});

it('is live once the stream is open, and tells its listener to refetch', () => {
  expect(live.state().state).toBe('connecting');
  last().opens();
  expect(live.state()).toEqual({ state: 'live', since: null });
  expect(opened).toHaveBeenCalledOnce();
});

it('hands on events it understands and ignores what it does not', () => {
  last().opens();
  last().sends('call.finished', { snapshot_version: 3, call_id: 'c' });
  last().sends('call.finished', 'not json');
  last().sends('something.else', { snapshot_version: 3 });
  expect(heard).toHaveBeenCalledExactlyOnceWith('call.finished', { snapshot_version: 3, call_id: 'c' });
});

it('leaves a dropped line to the browser, and is stale when that takes too long', () => {
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

it('opens a new stream with growing pauses when the server refused the old one', () => {
  last().isRefused();
  vi.advanceTimersByTime(1_000);
  expect(sources).toHaveLength(2);
  last().isRefused();
  vi.advanceTimersByTime(1_999);
  expect(sources).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(sources).toHaveLength(3);
});

it('tries at once when told to, and only when it is not live', () => {
  last().opens();
  live.retryNow();
  expect(sources).toHaveLength(1);
  last().drops();
  live.retryNow();
  expect(sources).toHaveLength(2);
  expect(sources[0]?.closed).toBe(true);
});

it('hears nothing from a stream it gave up', () => {
  const first = last();
  first.drops();
  live.retryNow();
  first.sends('call.finished', { snapshot_version: 1 });
  expect(heard).not.toHaveBeenCalled();
});

it('ends everything when closed', () => {
  const source = last();
  source.isRefused();
  live.close();
  vi.advanceTimersByTime(60_000);
  expect(sources).toHaveLength(1);
});
