import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { findTests, planTestRuns } from '#lib/author-tests/plan-test-runs.ts';
import type { TestRun } from '#lib/author-tests/plan-test-runs.ts';
import { withoutHostSecrets } from '#lib/host/extension-environment.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext } from './command.ts';
import { readOptions } from './read-options.ts';

export const testCommand: Command = {
  name: 'test',
  summary: 'Run the tests beside extensions',
  help: `Runs the tests in a folder: *.test.ts (and .js, .mjs, .mts) with node:test on the server's Node, and test_*.py with unittest
on the extension's Python. In TypeScript, loadExtension from 'switchboard/testing' runs an extension as the server does. Files
that import Vitest are skipped.

Usage: switchboard test [folder or file]

  folder   an extension, or a folder of extensions; EXTENSIONS_DIR or \`extensions\` by default

Exit codes: 0 passed, 1 failed, 2 invalid command line, 3 no test, or not run.

  switchboard test
  switchboard test extensions/math
  switchboard test extensions/tables/test_reading.py
`,

  async run(args, context) {
    const { positionals } = readOptions(args, {});
    if (positionals.length > 1) throw wrongUsage(`Name one folder or file; you named ${positionals.length}.`);
    const named = positionals[0] ?? (context.env['EXTENSIONS_DIR'] || 'extensions');
    const place = path.resolve(context.cwd, named);
    if (!existsSync(place)) throw cannotDo(`“${named}” not found. Name a folder with tests, or a test file.`);

    const found = await findTests(place);
    if (found.vitest.length > 0)
      context.note(`Skipped, because they import Vitest: ${found.vitest.map((file) => shown(file, context)).join(', ')}`);
    const runs = await planTestRuns(found, { python: pythonOf(context), environment: withoutHostSecrets(context.env), place });
    if (runs.length === 0) throw cannotDo(`No tests in “${named}”. A test is a file *.test.ts or test_*.py beside an extension.`);

    let worst = 0;
    for (const run of runs) {
      if (!run.ok) {
        context.note(`${shown(run.where, context)} could not be tested: ${run.reason}`);
        worst = Math.max(worst, EXIT.unavailable);
        continue;
      }
      if (runs.length > 1) await context.print(`${context.paint('bold', shown(run.where, context))}  ${run.of}\n`);
      const hasPassed = await runTests(run, context);
      if (context.signal.aborted) return EXIT.cancelled;
      if (!hasPassed) worst = Math.max(worst, EXIT.failed);
    }
    return worst === 0 ? EXIT.ok : worst === EXIT.failed ? EXIT.failed : EXIT.unavailable;
  },
};

/** Both runners print results and errors to different streams; merge them. */
async function runTests(run: TestRun & { ok: true }, context: CommandContext): Promise<boolean> {
  // With this variable a nested runner prints a format for its parent.
  const { NODE_TEST_CONTEXT: _, ...env } = withoutHostSecrets(context.env);
  const colour = context.isTerminal && !env['NO_COLOR'] ? { FORCE_COLOR: '1' } : {};
  const child = spawn(run.program, run.args, {
    cwd: context.cwd,
    env: { ...env, ...colour, NODE_ENV: 'test' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = (): void => void child.kill('SIGTERM');
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const pass = async (stream: AsyncIterable<string>): Promise<void> => {
      for await (const text of stream) await context.print(text);
    };
    const [code] = await Promise.all([ended, pass(child.stdout.setEncoding('utf8')), pass(child.stderr.setEncoding('utf8'))]);
    return code === 0;
  } catch (error) {
    throw cannotDo(`${run.program} could not be started: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    context.signal.removeEventListener('abort', stop);
  }
}

/** PYTHON is a name on PATH or a path, as for the server. */
function pythonOf({ env, cwd }: CommandContext): string {
  const given = env['PYTHON'] || 'python3';
  return /[\\/]/.test(given) ? path.resolve(cwd, given) : given;
}

function shown(place: string, context: CommandContext): string {
  return path.relative(context.cwd, place) || '.';
}
