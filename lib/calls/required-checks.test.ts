import { expect, test } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import type { CallOutcome, RunningExtension, ToolDescription } from '#lib/runtime/runtime.ts';
import { createRedactor } from './redact.ts';
import { createRequiredChecks } from './required-checks.ts';
import { savedCallRecord } from '#lib/testing/api-records.ts';

const AT = '2026-11-22T10:00:00.000Z';
const NEVER = new AbortController().signal;

function check(change: Partial<SavedCall> = {}): SavedCall {
  return savedCallRecord({
    id: change.name ?? 'id',
    tool: 'say_it',
    name: 'One',
    expectation: { result_includes: 1 },
    required: true,
    created_at: AT,
    updated_at: AT,
    ...change,
  });
}

const TOOL: ToolDescription = {
  name: 'say_it',
  label: 'Say',
  description: '',
  parameters: {},
  outputSchema: null,
  annotations: {},
  timeoutMs: null,
  examples: [],
  warnings: [],
};

/** A revision that answers with `callTool`, and counts running calls. */
function revision(callTool: (args: string, signal: AbortSignal) => Promise<CallOutcome>, tools: readonly ToolDescription[] = [TOOL]) {
  const seen = { made: 0, underWay: 0, most: 0 };
  const description = { name: '', description: '', instructions: '', tools, hasStatus: false, channel: null, warnings: [] };
  const running: RunningExtension = {
    description,
    process: () => ({ state: 'running', pid: null, restarts: 0, retryAt: null, kept: null }),
    keepAlive: () => undefined,
    logs: () => ({ lines: [], truncated: false, dropped: 0 }),
    status: async () => null,
    async callTool(_tool, args, { signal }) {
      seen.made += 1;
      seen.underWay += 1;
      seen.most = Math.max(seen.most, seen.underWay);
      const outcome = await callTool(args, signal);
      seen.underWay -= 1;
      return outcome;
    },
    validate: async () => [],
    request: async () => ({ ok: true, resultText: '{}' }),
    callsInFlight: () => seen.underWay,
    channel: null,
    restart: async () => null,
    close: async () => undefined,
  };
  return { running, seen };
}

const answer = (text: string) => async (): Promise<CallOutcome> => ({ status: 'succeeded', resultText: text });

function untilAborted(_args: string, signal: AbortSignal): Promise<CallOutcome> {
  return new Promise((resolve) => {
    const end = (): void => resolve({ status: 'cancelled', error: { kind: 'cancelled', message: 'Cancelled.' } });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

function checksOf(saved: readonly SavedCall[], timeMs = 60_000) {
  return createRequiredChecks({
    saved: { list: async (tool) => saved.filter((each) => each.tool === tool) },
    required: [...saved],
    checkResult: async () => null,
    callTimeoutMs: 1_000,
    redactor: createRedactor(),
    timeMs,
  });
}

test('reads only memory to find required checks', async () => {
  const kept = [check()];
  const checks = checksOf(kept);
  expect(checks.guards(['other', 'say_it'])).toBe(true);
  expect(checks.guards(['other'])).toBe(false);
  kept[0] = check({ required: false });
  expect(checks.guards(['say_it'])).toBe(true);
  await checks.reread('say_it');
  expect(checks.guards(['say_it'])).toBe(false);
  expect(checks.count(['say_it'])).toBe(0);
});

test('passes a revision with expected results, some checks at a time', async () => {
  const all = Array.from({ length: 11 }, (_, at) => check({ name: `n${at}` }));
  const { running, seen } = revision(answer('1'));
  expect(await checksOf(all).judge(running, ['say_it'], NEVER)).toBeNull();
  expect(seen).toEqual({ made: 11, underWay: 0, most: LIMITS.requiredChecksAtOnce });
});

test('lists failed checks in order, describes the first few, and links to the tool', async () => {
  const all = Array.from({ length: 12 }, (_, at) => check({ name: `n${at}`, expectation: { result_includes: at === 4 ? 2 : 1 } }));
  const { running } = revision(answer('2'));
  const failure = await checksOf(all).judge(running, ['say_it'], NEVER);
  expect(failure?.message).toBe(
    [
      '11 of 12 required checks did not pass: “n0” of say_it, “n1” of say_it, “n2” of say_it and 8 more.',
      ...[0, 1, 2].map((at) => `- “n${at}”: result is 2, not 1.`),
    ].join('\n'),
  );
  expect(failure?.failedChecks?.map(({ name }) => name)).toEqual([0, 1, 2, 3, 5, 6, 7, 8, 9, 10].map((at) => `n${at}`));
  expect(failure?.subject).toEqual(['TOOLS', 0, 'execute']);
});

test('shows actual results without secrets, truncated', async () => {
  const long = 'é'.repeat(LIMITS.failedCheckBytes);
  const { running } = revision(answer(JSON.stringify({ api_key: 'correct-horse', long })));
  const failure = await checksOf([check()]).judge(running, ['say_it'], NEVER);
  const [failed] = failure?.failedChecks ?? [];
  expect(failed?.came).toMatch(/^\{"status":"succeeded","result":\{"api_key":"\[redacted\]","long":"é+…$/);
  expect(Buffer.byteLength(failed?.came ?? '')).toBeLessThanOrEqual(LIMITS.failedCheckBytes + 3);
  expect(JSON.stringify(failure)).not.toContain('correct-horse');
});

test('fails checks that have not ended within the limit, or not started', async () => {
  const all = Array.from({ length: LIMITS.requiredChecksAtOnce + 1 }, (_, at) => check({ name: `n${at}` }));
  const { running, seen } = revision(untilAborted);
  const failure = await checksOf(all, 20).judge(running, ['say_it'], NEVER);
  const reasons = failure?.failedChecks?.map(({ reason }) => reason) ?? [];
  expect(reasons.slice(0, -1).every((reason) => reason.startsWith('It did not end within the 0.02 s'))).toBe(true);
  expect(reasons.at(-1)).toMatch(/^It was not made within/);
  expect(seen.made).toBe(LIMITS.requiredChecksAtOnce);
});

test('ends when a newer load starts', async () => {
  const overtaken = new AbortController();
  const { running, seen } = revision(untilAborted);
  const judged = checksOf([check()]).judge(running, ['say_it'], overtaken.signal);
  overtaken.abort();
  await judged;
  expect(seen.underWay).toBe(0);
});

test('calls neither a removed tool nor a destructive one', async () => {
  const destructive = { ...TOOL, annotations: { destructiveHint: true } };
  const { running, seen } = revision(answer('1'), [destructive]);
  const gone = check({ name: 'gone', tool: 'say_that' });
  const failure = await checksOf([check(), gone]).judge(running, ['say_it', 'say_that'], NEVER);
  expect(failure?.failedChecks?.map(({ name, came }) => [name, came])).toEqual([
    ['One', null],
    ['gone', null],
  ]);
  expect(seen.made).toBe(0);
});
