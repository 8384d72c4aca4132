import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setUp } from './set-up.mjs';
import { findBrowser } from './set-up/find-browser.mjs';
import { nodeProgram } from './set-up/install-packages.mjs';
import { ROOT, runCommand, say } from './set-up/run-command.mjs';

/**
 * `npm test`: everything CI runs, from a bare clone. Later steps run although an earlier one failed, so that one run tells
 * all; the last line is the sum, and a run in which nothing ran has failed.
 */

const REPORTS = path.join(ROOT, '.cache', 'test-reports');
const CHECKS = ['format', 'lint', 'arrows', 'dead code', 'types of node', 'types of pages'];

await setUp({ build: false });
rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });

say('checking');
const check = await tool('bin/check.mjs', CHECKS);
say('unit and integration tests');
const vitestReport = path.join(REPORTS, 'vitest.json');
const vitest = await tool('node_modules/vitest/vitest.mjs', [
  'run',
  '--reporter=dot',
  '--reporter=json',
  `--outputFile.json=${vitestReport}`,
]);
await setUp({ build: true });
say('the story in a browser');
const browserReport = path.join(REPORTS, 'playwright.json');
const browser = await findBrowser();
const playwright = await tool('node_modules/@playwright/test/cli.js', ['test', '--reporter=line,json'], {
  CHROMIUM_PATH: browser,
  PLAYWRIGHT_JSON_OUTPUT_FILE: browserReport,
  PLAYWRIGHT_JSON_OUTPUT_NAME: browserReport,
});

const parts = [
  { name: 'npm run check', passed: 0, failed: check.ok ? 0 : 1 },
  {
    name: 'unit and integration tests',
    ...sum(vitest, vitestReport, (report) => ({
      passed: report.numPassedTests,
      failed: Math.max(report.numFailedTests, report.success ? 0 : 1),
    })),
  },
  {
    name: 'browser tests',
    ...sum(playwright, browserReport, ({ stats }) => ({ passed: stats.expected + stats.flaky, failed: stats.unexpected })),
  },
];
for (const part of parts) if (part.failed > 0) console.log(`failed: ${part.name}`);
const passed = parts.reduce((total, part) => total + part.passed, 0);
const failed = parts.reduce((total, part) => total + part.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

function tool(script, args, env = {}) {
  return runCommand(nodeProgram(), [path.join(ROOT, script), ...args], {
    shown: true,
    env: { ...process.env, NODE_ENV: 'test', NEXT_TELEMETRY_DISABLED: '1', CI: process.env.CI ?? '1', ...env },
  });
}

/** A tool that ended badly has failed at least once, also where it left no report or found nothing to run. */
function sum(outcome, file, read) {
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  const counted = read(JSON.parse(readFileSync(file, 'utf8')));
  const ran = counted.passed + counted.failed > 0;
  return { ...counted, failed: outcome.ok && ran ? counted.failed : Math.max(counted.failed, 1) };
}
