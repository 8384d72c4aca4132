import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createHeldNavigation } from './held-navigation.ts';

const server = vi.fn<(input: unknown, init?: RequestInit) => Promise<Response>>();
const held: boolean[] = [];
let navigation: ReturnType<typeof createHeldNavigation>;
let end: () => void;

/** As Next reads a page. */
function open(page: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  const address = new URL(`${page}${page.includes('?') ? '&' : '?'}_rsc=abc`, 'http://127.0.0.1');
  return window.fetch(address, { headers: { rsc: '1', ...headers }, ...(signal === undefined ? {} : { signal }) });
}

const away = () => server.mockRejectedValue(new TypeError('Failed to fetch'));
const isBack = () => server.mockImplementation(async () => new Response('a page'));

beforeEach(() => {
  vi.useFakeTimers();
  server.mockReset();
  held.length = 0;
  vi.stubGlobal('window', { fetch: server });
  navigation = createHeldNavigation();
  navigation.subscribe(() => held.push(navigation.isHeld()));
  end = navigation.start();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('reads a page as before while the server answers', async () => {
  isBack();
  expect(await (await open('/calls')).text()).toBe('a page');
  expect(server).toHaveBeenCalledTimes(1);
  expect(held).toEqual([]);
});

it('holds a page until the server is back, and says so meanwhile', async () => {
  away();
  const opened = open('/calls');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(held).toEqual([true]);
  expect(server.mock.calls.length).toBeGreaterThan(10);
  isBack();
  await vi.advanceTimersByTimeAsync(5_000);
  expect((await opened).status).toBe(200);
  expect(held).toEqual([true, false]);
});

it.each([502, 503, 504])('takes a %i for a proxy with nobody behind it', async (status) => {
  server.mockImplementation(async () => new Response('', { status }));
  const opened = open('/calls');
  await vi.advanceTimersByTimeAsync(0);
  expect(navigation.isHeld()).toBe(true);
  isBack();
  navigation.retryNow();
  expect((await opened).status).toBe(200);
});

it('lets every other answer through, for Next to deal with', async () => {
  server.mockImplementation(async () => new Response('', { status: 500 }));
  expect((await open('/calls')).status).toBe(500);
});

it('retries immediately on request', async () => {
  away();
  const opened = open('/calls');
  await vi.advanceTimersByTimeAsync(0);
  isBack();
  navigation.retryNow();
  expect((await opened).status).toBe(200);
});

it('waits for the page that was wanted last, and never answers the one before', async () => {
  away();
  const first = vi.fn<() => void>();
  void open('/calls?status=failed').then(first, first);
  await vi.advanceTimersByTimeAsync(0);
  const second = open('/tools');
  await vi.advanceTimersByTimeAsync(0);
  isBack();
  await vi.advanceTimersByTimeAsync(20_000);
  expect((await second).status).toBe(200);
  expect(first).not.toHaveBeenCalled();
});

it('stops requesting a cancelled page', async () => {
  away();
  const ended = vi.fn<() => void>();
  void open('/calls').then(ended, ended);
  await vi.advanceTimersByTimeAsync(0);
  navigation.stay();
  expect(navigation.isHeld()).toBe(false);
  const asked = server.mock.calls.length;
  isBack();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(server.mock.calls.length).toBe(asked);
  expect(ended).not.toHaveBeenCalled();
});

it('does not hold prefetches, aborted requests and other requests', async () => {
  away();
  await expect(open('/calls', { 'next-router-prefetch': '1' })).rejects.toThrow('Failed to fetch');
  await expect(window.fetch('/api/v1/calls')).rejects.toThrow('Failed to fetch');
  const aborted = new AbortController();
  aborted.abort();
  await expect(open('/calls', {}, aborted.signal)).rejects.toThrow('Failed to fetch');
  expect(held).toEqual([]);
});

it('leaves no trace once it has ended', async () => {
  end();
  expect(window.fetch).toBe(server);
});
