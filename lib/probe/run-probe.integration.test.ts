import { expect, it } from 'vitest';
import type { Call } from '#lib/contract/call.ts';
import type { JsonSchema, Tool } from '#lib/contract/tool.ts';
import { runProbe } from './run-probe.ts';
import { callRecord } from '#lib/testing/api-records.ts';

const OPTIONS = { runs: 10, seed: 7, timeoutMs: 1_000, slowMs: 1_000 };

function toolOf(parameters: JsonSchema): Tool {
  const nothing = { label: 'Test', description: '', extension: 'x', revision: 1, output_schema: null, annotations: {}, timeout_ms: null };
  return { ...nothing, name: 'tool', parameters, examples: [], available: true, unavailable_reason: null, warnings: [] };
}
const TEXT = (more: object = {}) => toolOf({ type: 'object', required: ['text'], properties: { text: { type: 'string', ...more } } });

const callOf = (given: unknown): Call => callRecord({ tool: 'tool', extension: 'x', source: 'cli', arguments: given });

it('generates arguments in a thread, and passes each to the caller', async () => {
  const given: unknown[] = [];
  const callee = { call: async (_tool: string, one: object) => (given.push(one), callOf(one)) };
  const report = await runProbe(callee, TEXT(), { ...OPTIONS, signal: new AbortController().signal });
  expect(report).toMatchObject({ answered: 10, complete: true, calls: given.length, findings: [{ kind: 'invalid_accepted' }] });
});

it('recognizes a call whose process was ended because of another call', async () => {
  let calls = 0;
  const error = { kind: 'extension_crashed' as const, message: 'No.', data: { reason: 'unresponsive' } };
  const callee = {
    async call(_tool: string, one: object): Promise<Call> {
      calls += 1;
      return calls === 1 ? { ...callOf(one), status: 'failed', error } : callOf(one);
    },
  };
  const { findings } = await runProbe(callee, TEXT(), { ...OPTIONS, signal: new AbortController().signal });
  expect(findings.map(({ kind }) => kind)).not.toContain('crash');
});

it('continues after a pattern that never ends, and reports it', async () => {
  let beats = 0;
  const beating = setInterval(() => (beats += 1), 10);
  const bomb = TEXT({ allOf: [{ pattern: '^a{40}b$' }, { pattern: '^(a+)+$' }] });
  const callee = { call: async (_tool: string, one: object) => callOf(one) };
  const report = await runProbe(callee, bomb, { ...OPTIONS, signal: new AbortController().signal, thinkMs: 1_000 });
  clearInterval(beating);
  expect(beats).toBeGreaterThan(10);
  expect(report).toMatchObject({ complete: false, notes: [expect.stringContaining('takes too long')] });
});

it('ends after the current call when aborted, with the findings so far', async () => {
  const gone = new AbortController();
  let calls = 0;
  const callee = {
    async call(_tool: string, one: object) {
      calls += 1;
      if (calls === 3) gone.abort();
      return callOf(one);
    },
  };
  const report = await runProbe(callee, TEXT(), { ...OPTIONS, signal: gone.signal });
  expect(report).toMatchObject({ calls: 3, complete: false, notes: [expect.stringMatching(/^It was stopped after [23] of 10 calls\.$/)] });
  const late = await runProbe(callee, TEXT(), { ...OPTIONS, signal: gone.signal });
  expect(late).toMatchObject({ calls: 0, complete: false });
  const over = AbortSignal.abort(new DOMException('It took too long.', 'TimeoutError'));
  expect((await runProbe(callee, TEXT(), { ...OPTIONS, signal: over })).notes).toEqual(['It timed out after 0 of 10 calls.']);
});

it('rethrows errors of the caller', async () => {
  const callee = { call: () => Promise.reject(new Error('The connection broke.')) };
  await expect(runProbe(callee, TEXT(), { ...OPTIONS, signal: new AbortController().signal })).rejects.toThrow('The connection broke.');
});
