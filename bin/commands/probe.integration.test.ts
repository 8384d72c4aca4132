import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';
import { runCommand } from './command-for-tests.ts';
import { probeCommand } from './probe.ts';

const tool = (name: string, body: string, more = '') =>
  `export const TOOL = { label: 'Test', name: '${name}', description: 'A tool to be probed.', parameters: { count: { type: 'integer', required: true, minimum: 0, maximum: 1000 } }, execute({ count }) { ${body} }, ${more} };\n`;

const FILES = {
  'sound/extension.js': tool('be_sound', 'if (count > 500) throw new Error("That is too many."); return count;'),
  'crash/extension.js': tool('crash_above', 'if (count > 300) process.exit(1); return count;'),
  // At the end of its range: the probe would need three seconds for each smaller value that hangs.
  'hang/extension.js': tool('hang_above', 'if (count > 999) return new Promise(() => {}); return count;'),
  'break/extension.js': tool('break_schema', 'return count > 41 ? "many" : count;', 'output_schema: { type: "integer" }'),
  'leak/extension.js': tool('leak_stack', 'if (count > 41) throw new Error(new TypeError("x").stack); return count;'),
  'slow/extension.js': tool('be_slow', 'return new Promise((resolve) => setTimeout(resolve, count > 41 ? 450 : 0));'),
  'accept/extension.js': tool(
    'two_faults',
    'if (count > 900) throw new Error(new TypeError("x").stack); return count > 41 ? "many" : count;',
    'output_schema: { type: "integer" }',
  ),
  'late/extension.js': tool('throw_late', 'setTimeout(() => { throw new Error(`late ${count}`); }, 0); return count;'),
  'idle/extension.js': tool('be_idle', 'return 1;'),
  'never/extension.js': `export const TOOL = { label: 'Test', name: 'never_fits', description: 'A tool to be probed.', parameters: { type: 'object', required: ['twice'], properties: { twice: { type: 'string', pattern: '^(.{9})\\\\1$' } } }, execute: () => 1 };\n`,
  'wipe/extension.js': tool('wipe_all', 'throw new Error("never called")', 'annotations: { destructiveHint: true }'),
};

let living: LivingHost;
let served: ServedHost;
/** Of a probe without a server, which loads all extensions of a folder. */
const alone = mkdtempSync(path.join(tmpdir(), 'switchboard-probe-'));
beforeAll(async () => {
  for (const file of ['crash/extension.js', 'late/extension.js'] as const) {
    mkdirSync(path.join(alone, path.dirname(file)));
    writeFileSync(path.join(alone, file), FILES[file]);
  }
  living = await startHost(FILES);
  served = await serveHost(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
  rmSync(alone, { recursive: true });
});

const reports = z.array(
  z.object({
    tool: z.string(),
    calls: z.number(),
    answered: z.number(),
    complete: z.boolean(),
    seed: z.number(),
    findings: z.array(z.object({ kind: z.string(), arguments: z.object({ count: z.number() }), message: z.string(), call_id: z.string() })),
  }),
);
/** A busy machine is slow. The last one of a repeated option counts. */
const run = (args: readonly string[]) => runCommand(probeCommand, ['--slow', '60000', ...args]);
async function probe(...args: string[]) {
  const ran = await run([...args, '--json', '--seed', '7', '--url', served.url]);
  return { ...ran, reports: reports.parse(JSON.parse(ran.stdout)) };
}

describe('switchboard probe', () => {
  it('finds nothing in a tool with validation messages, and calls it as often as requested', async () => {
    const { code, reports: found } = await probe('be_sound', '--runs', '50');
    expect({ code, found }).toMatchObject({
      code: 0,
      found: [{ tool: 'be_sound', calls: 60, answered: 50, seed: 7, findings: [], complete: true }],
    });
    const list = await living.host.calls.list({ tool: 'be_sound', limit: 200 });
    expect(list.ok && list.value.calls.map((call) => call.source)).toEqual(Array.from({ length: 60 }, () => 'cli'));
    expect(list.ok && list.value.calls.every((call) => call.actor === 'probe')).toBe(true);
  });

  it.each([
    ['break_schema', 'result_breaks_schema', []],
    ['leak_stack', 'stack_in_message', []],
    ['be_slow', 'slow', ['--slow', '300']],
  ])('minimizes the input that breaks %s', async (name, kind, more) => {
    const { code, reports: found } = await probe(name, '--runs', '20', ...more);
    expect({ code, findings: found[0]?.findings }).toMatchObject({ code: 1, findings: [{ kind, arguments: { count: 42 } }] });
  });

  it('finds a crash and a hang, and prints the call', async () => {
    const { code, reports: found } = await probe('crash_above', 'hang_above', 'crash_above', '--timeout', '1', '--runs', '20');
    expect(code).toBe(1);
    expect(found.map((report) => report.findings.map(({ kind }) => kind))).toEqual([['crash'], ['hang']]);
    for (const { findings } of found) {
      expect(findings[0]?.arguments.count).toBeGreaterThan(300);
      expect(await living.host.calls.get(findings[0]?.call_id ?? '')).toMatchObject({
        ok: true,
        value: { arguments: findings[0]?.arguments },
      });
    }
  });

  it('minimizes a crash when only the probe uses the extension', async () => {
    const { code, stdout } = await run(['crash_above', '--timeout', '60', '--runs', '20', '--json', '--seed', '7', '--dir', alone]);
    expect({ code, found: reports.parse(JSON.parse(stdout)) }).toMatchObject({
      code: 1,
      found: [{ findings: [{ kind: 'crash', arguments: { count: 301 } }] }],
    });
  });

  it('reports errors thrown after their calls returned', async () => {
    for (const where of [
      ['--url', served.url],
      ['--dir', alone],
    ]) {
      const { code, stdout } = await run(['throw_late', '--runs', '5', '--seed', '7', ...where]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^ok {2}throw_late {2}6 calls, seed 7\n {2}.*uncaught errors? outside of any call; .*: late \d+\n$/);
    }
  });

  it('skips destructive tools', async () => {
    const { code, stderr, reports: found } = await probe('wipe_all');
    expect({ code, found }).toEqual({ code: 3, found: [] });
    expect(stderr).toContain('wipe_all is marked as destructive. Skipped');
    expect(await living.host.calls.list({ tool: 'wipe_all', limit: 1 })).toMatchObject({ value: { calls: [] } });
    expect((await probe('wipe_all', '--destructive', '--runs', '1')).reports).toMatchObject([{ tool: 'wipe_all' }]);
  });

  it('prints its findings as text', async () => {
    const { code, stdout } = await run(['break_schema', 'be_sound', '--seed', '7', '--url', served.url]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^result_breaks_schema {2}break_schema {2}\d+ calls, seed 7\n\n {2}with \{"count":42\}\n {2}The tool's result does not match/,
    );
    expect(stdout).toMatch(/\nok {2}be_sound {2}120 calls, seed 7\n$/);
  });

  it('prints one finding of each kind, as annotations on request, and saves them on request', async () => {
    const args = ['two_faults', '--runs', '30', '--seed', '7', '--url', served.url, '--github', '--save'];
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^::error title=two_faults%3A result_breaks_schema::Result does not match .*%0AWith \{"count":42\}/);
    expect(stdout).toContain('::error title=two_faults%3A stack_in_message::');
    expect(stdout).toMatch(/\n::stop-commands::[^]+result_breaks_schema {2}two_faults/);
    expect(stderr).toMatch(/^Saved for two_faults: Result does not match the output schema \(/);
    const { saved_calls: saved } = await living.host.savedCalls.list('two_faults');
    expect(saved.map((check) => check.arguments)).toEqual([{ count: 901 }, { count: 42 }]);
    for (const check of saved) expect(check).toMatchObject({ timeout_ms: 5_000, expectation: { status: 'succeeded', or_refused: true } });

    const again = await run(args);
    expect(again.stderr).toBe(stderr.replaceAll('Saved for', 'Saved already for'));
    expect((await living.host.savedCalls.list('two_faults')).saved_calls).toEqual(saved);
  });

  it('does not report success when no tool was called', async () => {
    const { code, stdout, stderr } = await run(['never_fits', '--url', served.url]);
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
    expect(stdout).toMatch(
      /^incomplete {2}never_fits .*\n {2}No valid arguments could be generated from its schema, so no call was made\.\n/,
    );
    await living.host.extensions.disable('idle', { name: null });
    const idle = await run(['be_idle', '--url', served.url]);
    expect(idle).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('be_idle cannot be called now: idle is disabled') });
    expect(await living.host.calls.list({ tool: 'be_idle', limit: 1 })).toMatchObject({ value: { calls: [] } });
  });

  it('requires the names of tools', async () => {
    expect(await run(['--url', served.url])).toMatchObject({ code: 2, stdout: '' });
    expect((await run(['be_sond', '--url', served.url])).stderr).toContain('Did you mean be_sound?');
  });
});
