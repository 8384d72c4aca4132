import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonSchema } from '#lib/contract/tool.ts';
import { shrinkingWhile } from './edge-arbitrary.ts';
import type { EndedCall } from './probe-options.ts';
import { type AskCall, type ProbeClock, probeTool } from './probe-tool.ts';

const COUNT: JsonSchema = {
  type: 'object',
  required: ['count'],
  properties: { count: { type: 'integer', minimum: 0, maximum: 1_000 } },
  additionalProperties: false,
};
const OPTIONS = { runs: 100, seed: 7, timeoutMs: 1_000, slowMs: 100 };
const fine: EndedCall = { id: 'c', status: 'succeeded', error: null, duration_ms: 1 };
const failed = (kind: NonNullable<EndedCall['error']>['kind'], message = 'No.'): EndedCall => ({
  ...fine,
  status: 'failed',
  error: { kind, message },
});

let time = 0;
const clock: ProbeClock = {
  now: () => time,
  pause: async (ms) => void (time += ms),
};

function run(parameters: JsonSchema, answer: (count: unknown, at: number) => EndedCall, runs = OPTIONS.runs) {
  let at = 0;
  const ask: AskCall = async (given) => {
    at += 1;
    const { count, ...more } = given;
    const fits = Number.isInteger(count) && Number(count) >= 0 && Number(count) <= 1_000 && Object.keys(more).length === 0;
    // As a host does before it calls the tool.
    return parameters === COUNT && !fits ? failed('invalid_parameters') : answer(count, at);
  };
  return probeTool(ask, { tool: { name: 'tool', parameters, examples: [] }, options: { ...OPTIONS, runs } }, clock);
}

it('is complete when as many calls were answered as were asked for', async () => {
  expect(await run(COUNT, () => failed('execution_error'))).toMatchObject({
    calls: 120,
    answered: 100,
    complete: true,
    findings: [],
    notes: [],
  });
});

it('reports one finding of each kind, with the smallest arguments', async () => {
  const report = await run(COUNT, (count) => {
    if (Number(count) > 600) return { ...fine, duration_ms: 4_000 };
    if (Number(count) > 300) return failed('schema_error');
    return Number(count) > 41 ? failed('execution_error', 'x\n    at run (file:///x.js:1:2)') : fine;
  });
  const found = new Map(report.findings.map(({ kind, arguments: given }) => [kind, given]));
  expect(Object.fromEntries(found)).toEqual({
    stack_in_message: { count: 42 },
    result_breaks_schema: { count: 301 },
    slow: { count: 601 },
  });
  expect(report).toMatchObject({ complete: true, answered: 100 });
});

it.each<[string, JsonSchema]>([
  ['no value is valid', { type: 'object', required: ['a'], properties: { a: { type: 'string', pattern: '^(.{9})\\1$' } } }],
  ['the schema cannot be compiled', { type: 'object', properties: { a: { enum: [] } } }],
])('reports that no call was made when %s', async (_name, parameters) => {
  const report = await run(parameters, () => failed('invalid_parameters'));
  expect(report).toMatchObject({ answered: 0, complete: false, findings: [] });
  expect(report.notes.length).toBeGreaterThan(0);
});

it('ends when the extension does not restart, and reports it', async () => {
  const report = await run(COUNT, () => failed('extension_unavailable', 'It is not started again.'));
  expect(report).toMatchObject({
    calls: 4,
    answered: 0,
    complete: false,
    notes: ['It ended after 0 of 100 calls: It is not started again.'],
  });
});

it('retries while the extension restarts', async () => {
  const report = await run(COUNT, (_count, at) => (at === 3 ? failed('extension_unavailable') : fine), 5);
  expect(report).toMatchObject({ calls: 7, answered: 5, complete: true });
});

it('does not attribute a crash of an earlier call to the current arguments', async () => {
  const bystander: EndedCall = { ...failed('extension_crashed'), isBystander: true };
  const starts: EndedCall = { ...fine, duration_ms: 9_000 };
  const answers: Readonly<Record<number, EndedCall>> = { 1: bystander, 2: starts };
  const report = await run(COUNT, (_count, at) => answers[at] ?? fine, 5);
  expect(report).toMatchObject({ findings: [], answered: 5, complete: true });
});

it('makes no call until a hanging process has ended', async () => {
  let blockedUntil = 0;
  const report = await run(COUNT, (count) => {
    const isBlocked = time < blockedUntil;
    if (Number(count) > 41 && !isBlocked) blockedUntil = time + 1_500;
    return isBlocked || Number(count) > 41 ? { ...failed('timeout'), status: 'timed_out' } : fine;
  });
  expect(report.findings).toMatchObject([{ kind: 'hang', arguments: { count: 42 } }]);
});

it('reports a crash, and stops calling when crashes repeat', async () => {
  const report = await run(COUNT, (count) => (Number(count) > 41 ? failed('extension_crashed') : fine));
  expect(report.findings).toMatchObject([{ kind: 'crash', arguments: { count: 42 } }]);
  expect(report).toMatchObject({ complete: false, notes: [expect.stringContaining('repeatedly ended the process')] });
});

it('does not shrink after giving up', async () => {
  const TEXT: JsonSchema = { type: 'object', required: ['text'], properties: { text: { type: 'string' } }, additionalProperties: false };
  let looked = 0;
  const ask: AskCall = async (given) => {
    looked += 1;
    return /\p{Extended_Pictographic}/u.test(String(given['text'])) ? failed('extension_crashed') : fine;
  };
  const report = await probeTool(
    ask,
    { tool: { name: 'tool', parameters: TEXT, examples: [] }, options: { ...OPTIONS, seed: 1_008_067_860 } },
    clock,
  );
  expect(report).toMatchObject({ calls: looked, notes: [expect.stringContaining('repeatedly ended the process')] });
});

it('stops shrinking when the condition no longer holds', () => {
  let looked = 0;
  const longTexts = shrinkingWhile(fc.string({ minLength: 100, maxLength: 100 }), () => looked < 10);
  fc.check(
    fc.property(longTexts, () => {
      looked += 1;
      return looked > 1;
    }),
    { seed: 7 },
  );
  expect(looked).toBe(10);
});

it('does not count the start of a process as slowness of the tool', async () => {
  const starts: EndedCall = { ...fine, duration_ms: 9_000 };
  expect((await run(COUNT, (_count, at) => (at === 1 ? starts : fine))).findings).toEqual([]);
  let crashedAt = 0;
  const report = await run(COUNT, (count, at) => {
    const isStarting = crashedAt > 0 && at === crashedAt + 1;
    if (isStarting) return { ...failed('timeout'), status: 'timed_out' };
    if (Number(count) < 990) return fine;
    crashedAt = at;
    return failed('extension_crashed');
  });
  expect(report.findings.map(({ kind }) => kind)).toEqual(['crash']);
});

it('does not count cancelled calls', async () => {
  const report = await run(COUNT, () => ({ ...failed('cancelled'), status: 'cancelled' }), 10);
  expect(report).toMatchObject({ answered: 0, complete: false, findings: [] });
});
