import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeRequestSchema } from '#lib/contract/probe.ts';
import { must, refusal, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';

const tool = (name: string, body: string, more = '') =>
  `export const TOOL = { label: 'Test', name: '${name}', description: 'A tool to be probed.', parameters: { count: { type: 'integer', required: true, minimum: 0, maximum: 1000 } }, execute({ count }) { ${body} }, ${more} };\n`;

let living: LivingHost;
beforeAll(async () => {
  living = await startHost({
    'sound/extension.js': tool('be_sound', 'return count;'),
    'break/extension.js': tool('break_schema', 'return count > 41 ? "many" : count;', 'output_schema: { type: "integer" }'),
    'wait/extension.js': tool('be_slow', 'return new Promise((resolve) => setTimeout(resolve, 20));'),
    'wipe/extension.js': tool('wipe_all', 'return 1;', 'annotations: { destructiveHint: true }'),
  });
});
afterAll(() => living.remove());

const asked = (more: object = {}) => probeRequestSchema.parse({ seed: 7, runs: 20, ...more });
const probe = (name: string, more: object = {}, signal = new AbortController().signal) =>
  living.host.probes.run(name, asked(more), 'web', signal);
const callsOf = (name: string) => must(living.host.calls.list({ tool: name, limit: 200 })).calls;

describe('probing a tool from the dashboard', () => {
  it('answers what was found, as small as it gets, with the call on record', async () => {
    const report = must(await probe('break_schema', { runs: 100 }));
    expect(report).toMatchObject({ tool: 'break_schema', seed: 7, complete: true });
    expect(report.findings).toMatchObject([{ kind: 'result_breaks_schema', arguments: { count: 42 } }]);
    expect(must(living.host.calls.get(report.findings[0]?.call_id ?? ''))).toMatchObject({
      arguments: { count: 42 },
      actor: 'probe',
      source: 'web',
    });
  });

  it('finds nothing in a sound tool', async () => {
    expect(must(await probe('be_sound'))).toEqual({ tool: 'be_sound', calls: 24, seed: 7, findings: [], complete: true });
  });

  it('asks for a yes before it touches a tool that destroys', async () => {
    expect(refusal(await probe('wipe_all')).detail).toContain('Send "destructive": true');
    expect(callsOf('wipe_all')).toEqual([]);
    expect(must(await probe('wipe_all', { destructive: true })).findings).toEqual([]);
    expect(refusal(await probe('absent')).code).toBe('tool_not_found');
  });

  it('runs once at a time for a tool, and ends when nobody waits any more', async () => {
    const gone = new AbortController();
    const first = probe('be_slow', { runs: 500 }, gone.signal);
    expect(refusal(await probe('be_slow')).code).toBe('state_conflict');
    gone.abort();
    expect(must(await first)).toMatchObject({ complete: false, findings: [] });
    expect(callsOf('be_slow').length).toBeLessThan(10);
    expect(must(await probe('be_slow', { runs: 1 }))).toMatchObject({ complete: true });
  });
});
