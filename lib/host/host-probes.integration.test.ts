import path from 'node:path';
import { saveCallRequest } from '#lib/testing/api-records.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkOfFinding } from '#lib/contract/probe-rules.ts';
import { probeRequestSchema } from '#lib/contract/probe.ts';
import { type LivingHost, must, refusal, startHost } from '#lib/testing/living-host.ts';

const tool = (name: string, body: string, more = '') =>
  `export const TOOL = { label: 'Test', name: '${name}', description: 'A tool to be probed.', parameters: { count: { type: 'integer', required: true, minimum: 0, maximum: 1000 } }, execute({ count }) { ${body} }, ${more} };\n`;

let living: LivingHost;
beforeAll(async () => {
  living = await startHost({
    'sound/extension.js': tool('be_sound', 'return count;'),
    'break/extension.js': tool('break_schema', 'return count > 41 ? "many" : count;', 'output_schema: { type: "integer" }'),
    'wait/extension.js': tool('be_slow', 'return new Promise((resolve) => setTimeout(resolve, 20));'),
    'server/mcp.json': JSON.stringify({ command: 'node', args: [path.resolve(import.meta.dirname, '../runtime/fixtures/mcp-server.mjs')] }),
    'idle/extension.js': tool('be_idle', 'return 1;'),
    'crash/extension.js': tool('crash_above', 'if (count > 300) process.exit(1); return count;'),
    'late/extension.js': tool('throw_late', 'setTimeout(() => { throw new Error(`late ${count}`); }, 0); return count;'),
    'never/extension.js': `export const TOOL = { label: 'Test', name: 'never_fits', description: 'A tool to be probed.', parameters: { type: 'object', required: ['twice'], properties: { twice: { type: 'string', pattern: '^(.{9})\\\\1$' } } }, execute: () => 1 };\n`,
    'wipe/extension.js': tool('wipe_all', 'return 1;', 'annotations: { destructiveHint: true }'),
  });
});
afterAll(() => living.remove());

const asked = (more: object = {}) => probeRequestSchema.parse({ seed: 7, runs: 20, ...more });
const probe = (name: string, more: object = {}, signal = new AbortController().signal) =>
  living.host.probes.run(name, asked(more), { source: 'web', mayReadLog: true }, signal);
const callsOf = async (name: string) => must(await living.host.calls.list({ tool: name, limit: 200 })).calls;

describe('probing a tool from the dashboard', () => {
  it('returns a minimal finding, with the recorded call', async () => {
    const report = must(await probe('break_schema', { runs: 100 }));
    expect(report).toMatchObject({ tool: 'break_schema', seed: 7, complete: true });
    expect(report.findings).toMatchObject([{ kind: 'result_breaks_schema', arguments: { count: 42 } }]);
    expect(must(await living.host.calls.get(report.findings[0]?.call_id ?? ''))).toMatchObject({
      arguments: { count: 42 },
      actor: 'probe',
      source: 'web',
    });
  });

  it('finds nothing in a correct tool', async () => {
    expect(must(await probe('be_sound'))).toEqual({
      tool: 'be_sound',
      calls: 24,
      answered: 20,
      seed: 7,
      findings: [],
      complete: true,
      notes: [],
      timeout_ms: 5_000,
      slow_ms: 2_000,
    });
  });

  it('refuses a tool that is not running, and makes no call', async () => {
    must(await living.host.extensions.disable('idle', { name: null }));
    expect(refusal(await probe('be_idle'))).toMatchObject({ code: 'state_conflict', detail: expect.stringContaining('idle is disabled') });
    expect(await callsOf('be_idle')).toEqual([]);
  });

  it('reports errors after the end of their calls to readers of the log', async () => {
    const report = must(await probe('throw_late'));
    expect(report).toMatchObject({ findings: [], complete: true });
    expect(report.notes).toEqual([expect.stringMatching(/uncaught errors? outside of any call; .*: late \d+$/)]);
    const asker = { source: 'api', mayReadLog: false } as const;
    expect(must(await living.host.probes.run('throw_late', asked(), asker, new AbortController().signal)).notes).toEqual([]);
  });

  it('reports that nothing was tried when no arguments can be generated', async () => {
    const report = must(await probe('never_fits'));
    expect(report).toMatchObject({ answered: 0, findings: [], complete: false });
    expect(report.notes[0]).toContain('no call was made');
  });

  it('saves a finding as a check that passes once the tool returns a proper error', async () => {
    const report = must(await probe('crash_above', { runs: 100 }));
    const [finding] = report.findings;
    if (finding === undefined) throw new Error('nothing was found');
    expect(finding.kind).toBe('crash');
    const saved = must(await living.host.savedCalls.save(saveCallRequest(checkOfFinding(report, finding)), { name: null }));
    const run = async () =>
      (await must(await living.host.savedCalls.start(saved.id, null, 'web', { name: null })).finished).saved_call.last_run;
    expect(await run()).toMatchObject({ passed: false });
    await living.save({ 'crash/extension.js': tool('crash_above', 'if (count > 300) throw new Error("Too many."); return count;') });
    await living.reload(['crash']);
    expect(await run()).toMatchObject({ passed: true, status: 'failed' });
  });

  it('requires confirmation for a destructive tool', async () => {
    expect(refusal(await probe('wipe_all')).detail).toContain('Send "destructive": true');
    expect(await callsOf('wipe_all')).toEqual([]);
    expect(must(await probe('wipe_all', { destructive: true })).findings).toEqual([]);
    expect(refusal(await probe('absent')).code).toBe('tool_not_found');
  });

  it('requires confirmation for a tool of an MCP server without a read-only hint', async () => {
    expect(must(living.host.tools.get('server__echo'))).toMatchObject({ runtime: 'mcp', annotations: {} });
    expect(refusal(await probe('server__echo'))).toMatchObject({
      code: 'body_fields_invalid',
      detail: expect.stringMatching(/belongs to an MCP server.*Send "destructive": true/),
    });
    expect(await callsOf('server__echo')).toEqual([]);
    expect(must(await probe('server__echo', { destructive: true, runs: 2 }))).toMatchObject({ answered: 2 });
  });

  it('runs once at a time for a tool, and ends when the caller disconnects', async () => {
    const gone = new AbortController();
    const first = probe('be_slow', { runs: 500 }, gone.signal);
    expect(refusal(await probe('be_slow')).code).toBe('state_conflict');
    gone.abort();
    expect(must(await first)).toMatchObject({ complete: false, findings: [] });
    expect((await callsOf('be_slow')).length).toBeLessThan(10);
    expect(must(await probe('be_slow', { runs: 1 }))).toMatchObject({ complete: true });
  });
});
