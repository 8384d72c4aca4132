import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { findTests } from '#lib/author-tests/find-tests.ts';
import { withoutHostSecrets } from '#lib/host/extension-environment.ts';
import { planTestRuns } from '#lib/author-tests/plan-test-runs.ts';
import type { TestRun } from '#lib/author-tests/plan-test-runs.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext } from './command.ts';
import { readOptions } from './read-options.ts';

export const testCommand: Command = {
  name: 'test',
  summary: 'Run the tests that lie beside extensions',
  help: `Runs the tests below a folder: *.test.ts (and .js, .mjs, .mts) with node:test, on the Node of the server, and test_*.py with
unittest, on the Python that runs the extension beside them. In TypeScript, loadExtension of 'switchboard/testing' gives an
extension as the server would run it. Files that import vitest are left to vitest.

Usage: switchboard test [folder or file]

  folder   an extension, or a folder of them; EXTENSIONS_DIR or \`extensions\` when left out

Ends with 0 when all tests pass, 1 when one fails, 2 when the command line is wrong, 3 when there is no test or it could not run.

  switchboard test
  switchboard test extensions/math
  switchboard test extensions/tables/test_reading.py
`,

  async run(args, context) {
    const { positionals } = readOptions(args, {});
    if (positionals.length > 1) throw wrongUsage(`One folder or file can be tested at a time; ${positionals.length} were named.`);
    const named = positionals[0] ?? (context.env['EXTENSIONS_DIR'] || 'extensions');
    const place = path.resolve(context.cwd, named);
    if (!existsSync(place)) throw cannotDo(`There is nothing called “${named}”. Name a folder that holds tests, or a file of tests.`);

    const found = await findTests(place);
    if (found.vitest.length > 0)
      context.note(`Left to vitest, which they import: ${found.vitest.map((file) => shown(file, context)).join(', ')}`);
    const runs = await planTestRuns(found, { python: pythonOf(context), environment: withoutHostSecrets(context.env), place });
    if (runs.length === 0)
      throw cannotDo(`There are no tests in “${named}”. A test is a file *.test.ts, or test_*.py, beside an extension.`);

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

/** Both runners tell of tests on one stream and of trouble on the other; they belong together. */
async function runTests(run: TestRun & { ok: true }, context: CommandContext): Promise<boolean> {
  // A runner that finds this in its environment speaks another form, made for the runner above it.
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

/** As the server reads PYTHON: a name is looked for on PATH, a path is one from here. */
function pythonOf({ env, cwd }: CommandContext): string {
  const given = env['PYTHON'] || 'python3';
  return /[\\/]/.test(given) ? path.resolve(cwd, given) : given;
}

function shown(place: string, context: CommandContext): string {
  return path.relative(context.cwd, place) || '.';
}
