import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CallServiceOptions, createCallService } from './call-service.ts';
import { createRedactor } from './redact.ts';

/** A service over one tool, whose store takes a record only on request. */
function createService() {
  const { promise: recorded, resolve: record } = Promise.withResolvers<void>();
  const ran: string[] = [];
  const extension = { id: 'a', serving_revision: 1, kind: 'tool' };
  const running = {
    callTool: async (tool: string) => {
      ran.push(tool);
      return { status: 'succeeded', resultText: '1' };
    },
  };
  const tool = { name: 'one', extension: 'a', revision: 1, parameters: { type: 'object' }, timeout_ms: null };
  const tools = new Map([['one', { tool, entry: { extension, running } }]]);
  const options = {
    registry: { current: () => ({ version: 1, tools }) },
    store: { calls: { insertRunning: () => recorded, finish: async () => undefined } },
    publish: () => undefined,
    redactor: createRedactor(),
    tracer: null,
    instances: { id: () => 'here', ask: async () => null, answer: () => undefined, isCutOff: () => false },
    callTimeoutMs: 1_000,
    servedBy: async () => [],
    runningOn: async () => ({ ok: false }),
    refused: () => undefined,
    ended: () => undefined,
  };
  // Fakes with the members that a call needs.
  return { service: createCallService(options as unknown as CallServiceOptions), record, ran };
}

const ASKED = { tool: 'one', arguments: {}, source: 'api', actor: null } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a stop waits for an admitted call without a record', async () => {
  const { service, record, ran } = createService();
  const started = service.start(ASKED);
  let closed = false;
  const closing = service.close(5_000).then(() => (closed = true));
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  expect([closed, ran]).toEqual([false, []]);
  record();
  await closing;
  expect(ran).toEqual(['one']);
  expect(await started).toMatchObject({ ok: true });
});

test('a call recorded after the stop timeout does not run', async () => {
  const { service, record, ran } = createService();
  const started = service.start(ASKED);
  const closing = service.close(0);
  await vi.advanceTimersByTimeAsync(1);
  record();
  await closing;
  const result = await started;
  expect(JSON.parse(result.ok ? await result.value.finished : '{}')).toMatchObject({ status: 'cancelled' });
  expect(ran).toEqual([]);
});
