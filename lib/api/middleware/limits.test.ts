import { expect, test } from 'vitest';
import { createRequestLimits } from './limits.ts';
import type { Route } from '../route.ts';
import { ROUTES } from '../routes.ts';

function route(method: string, path: string): Route {
  const found = ROUTES.find((one) => one.method === method && one.path === path);
  if (found === undefined) throw new Error(`no route ${method} ${path}`);
  return found;
}

const CALL = route('POST', '/api/v1/tools/:name/call');
const WRITE = route('PUT', '/api/v1/sources/:path');
const READ = route('GET', '/api/v1/calls');

test('allows a burst of the size of the rate, and then an even rate', () => {
  let now = 0;
  const limits = createRequestLimits({
    callRate: { count: 10, perMs: 1_000 },
    writeRate: null,
    concurrentRequests: 0,
    monotonicNow: () => now,
  });
  const passed = (): number => {
    let count = 0;
    while (limits.enter(CALL, 'a').ok) count += 1;
    return count;
  };
  expect(passed()).toBe(10);
  now = 300;
  expect(passed()).toBe(3);
  expect(limits.enter(CALL, 'a')).toMatchObject({ ok: false, problem: { code: 'too_many_requests', retryAfter: 1 } });
  expect(limits.enter(CALL, 'b').ok).toBe(true);
  now = 60_000;
  expect(passed()).toBe(10);
  expect([limits.enter(WRITE, 'a').ok, limits.enter(READ, 'a').ok]).toEqual([true, true]);
});

test('returns the time to wait for a slow rate', () => {
  const limits = createRequestLimits({
    callRate: null,
    writeRate: { count: 2, perMs: 60_000 },
    concurrentRequests: 0,
    monotonicNow: () => 0,
  });
  limits.enter(WRITE, 'a');
  limits.enter(WRITE, 'a');
  expect(limits.enter(WRITE, 'a')).toMatchObject({ ok: false, problem: { retryAfter: 30 } });
  expect(limits.enter(CALL, 'a').ok).toBe(true);
});

test('a batch above the limit passes with a full bucket, and delays later requests', () => {
  let now = 0;
  const limits = createRequestLimits({
    callRate: { count: 5, perMs: 1_000 },
    writeRate: null,
    concurrentRequests: 0,
    monotonicNow: () => now,
  });
  expect(limits.takeCalls('a', 20).ok).toBe(true);
  now = 1_000;
  expect(limits.enter(CALL, 'a').ok).toBe(false);
  now = 4_000;
  expect(limits.enter(CALL, 'a').ok).toBe(true);
});

test('every tool run counts as a call, and every other change as a write', () => {
  const limits = createRequestLimits({
    callRate: { count: 1, perMs: 1_000 },
    writeRate: { count: 1, perMs: 1_000 },
    concurrentRequests: 0,
    monotonicNow: () => 0,
  });
  const kinds = ROUTES.map((one) => {
    limits.enter(one, `${one.method} ${one.path}`);
    const again = limits.enter(one, `${one.method} ${one.path}`);
    return {
      path: one.path,
      limit: again.ok ? 'none' : again.problem.detail.includes(' calls/') ? 'calls' : 'writes',
      method: one.method,
    };
  });
  expect(kinds.flatMap(({ limit, path }) => (limit === 'calls' ? [path] : [])).toSorted()).toEqual([
    '/api/v1/calls/:id/replay',
    '/api/v1/saved-calls/:id/run',
    '/api/v1/tools/:name/call',
    '/api/v1/tools/:name/probe',
    '/mcp',
    '/mcp/:toolset',
  ]);
  expect(kinds.filter(({ limit }) => limit === 'none').every(({ method }) => method === 'GET')).toBe(true);
});

test('limits the number of addresses in memory, and keeps those with running requests', () => {
  const limits = createRequestLimits({
    callRate: { count: 1, perMs: 3_600_000 },
    writeRate: null,
    concurrentRequests: 1,
    monotonicNow: () => 0,
  });
  const first = limits.enter(CALL, 'first');
  const leave = limits.enter(CALL, 'second');
  if (leave.ok) leave.value?.();
  for (let at = 0; at < 10_001; at += 1) {
    const entered = limits.enter(CALL, `address ${at}`);
    if (entered.ok) entered.value?.();
  }
  expect(first.ok && limits.enter(CALL, 'first').ok).toBe(false);
  expect(limits.enter(CALL, 'second').ok).toBe(true);
});
