import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { setUp } from './set-up.mjs';
import { findBrowser } from './set-up/find-browser.mjs';
import { nodeProgram } from './set-up/node-program.mjs';
import { ROOT, runCommand, say } from './set-up/run-command.mjs';
import { readPlaywright, readVitest, summaryLines } from './set-up/test-report.mjs';

/**
 * `npm test`: everything CI runs, from a clone. Later steps run even if an earlier one failed. The output ends with the reason
 * of each failure and the totals; a run without any test fails.
 */

const REPORTS = path.join(ROOT, '.cache', 'test-reports');
const LAST_LINES = 40;
const CHECKS = ['format', 'lint', 'imports', 'words', 'dead code', 'types of node', 'types of pages'];

await setUp({ build: false });
rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });

say('checks, build and unit tests');
const [{ check, build }, unit] = await Promise.all([checkAndBuild(), runVitest('!integration*', reportOf('unit'))]);
// Alone, because their extensions have time limits.
say('integration tests');
// As in the browser: on a busy machine one of thousands may be late. Those that pass only then are named at the end.
const integration = await runVitest('integration*', reportOf('integration'), ['--retry=1']);
say('browser tests');
const playwright = build.ok ? await testPages(reportOf('playwright')) : build;

const parts = [
  { name: 'npm run check', ...read(check, null, () => ({ passed: 0, failed: 0, failures: [], flaky: [] })) },
  { name: 'unit tests', ...read(unit, reportOf('unit'), readVitest) },
  { name: 'integration tests', ...read(integration, reportOf('integration'), readVitest) },
  { name: 'browser tests', ...read(playwright, reportOf('playwright'), readPlaywright) },
];
for (const line of summaryLines(parts)) console.log(line);
console.log('');
for (const part of parts) if (part.failed > 0) console.log(`failed: ${part.name}`);
const passed = parts.reduce((total, part) => total + part.passed, 0);
const failed = parts.reduce((total, part) => total + part.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

async function checkAndBuild() {
  return { check: await tool('bin/check.mjs', CHECKS), build: await tool('bin/build.mjs', []) };
}

function runVitest(projects, report, more = []) {
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const args = ['run', '--project', projects, ...more, ...reporters, ...(process.stdout.isTTY ? [] : ['--no-color'])];
  return tool('node_modules/vitest/vitest.mjs', args);
}

async function testPages(report) {
  return tool('node_modules/@playwright/test/cli.js', ['test', '--reporter=line,json'], {
    CHROMIUM_PATH: await findBrowser(),
    PLAYWRIGHT_JSON_OUTPUT_FILE: report,
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  });
}

function reportOf(kind) {
  return path.join(REPORTS, `${kind}.json`);
}

function tool(script, args, env = {}) {
  return runCommand(nodeProgram(), [path.join(ROOT, script), ...args], {
    both: true,
    env: { ...process.env, NODE_ENV: 'test', NEXT_TELEMETRY_DISABLED: '1', CI: process.env.CI ?? '1', ...env },
  });
}

/**
 * A tool with a non-zero exit code counts as one failure at least; without a report its last lines are shown.
 */
function read(outcome, file, readReport) {
  const isLeft = file === null || existsSync(file);
  const reading = readReport(isLeft && file !== null ? JSON.parse(readFileSync(file, 'utf8')) : {});
  const ran = file === null || (isLeft && reading.passed + reading.failed > 0);
  const failed = outcome.ok && ran ? reading.failed : Math.max(reading.failed, 1);
  if (failed === 0 || reading.failures.length > 0) return { ...reading, failed };
  return {
    ...reading,
    failed,
    failures: [{ file: '', name: 'no report; last lines:', lines: lastLines(outcome.output) }],
  };
}

function lastLines(output) {
  return stripVTControlCharacters(output).trimEnd().split('\n').slice(-LAST_LINES);
}
