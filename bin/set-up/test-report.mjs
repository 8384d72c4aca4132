import { stripVTControlCharacters } from 'node:util';

/**
 * A summary of the reports of Vitest and Playwright for the end of the log: what failed, and why. A killed tool may leave an
 * incomplete report; missing parts are skipped.
 *
 * @typedef {{ file: string, name: string, lines: string[] }} Failure
 * @typedef {{ passed: number, failed: number, failures: Failure[], flaky: string[] }} Reading
 */
const MOST_LINES = 15;
const MOST_WHOLE = 5;
const MOST_NAMED = 20;

/** @returns {Reading} */
export function readVitest(report) {
  const failures = [];
  const retried = [];
  for (const file of report.testResults ?? []) {
    const place = file.name.split('/').slice(-3).join('/');
    const tests = file.assertionResults ?? [];
    const named = (test) => ({ file: place, name: `${place} › ${test.fullName}`, lines: relevantLines(test.failureMessages?.join('\n')) });
    const failed = tests.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && file.status === 'failed') failures.push({ file: place, name: place, lines: relevantLines(file.message) });
    failures.push(...failed.map(named));
    retried.push(...tests.filter(({ status, failureMessages = [] }) => status === 'passed' && failureMessages.length > 0).map(named));
  }
  return {
    passed: report.numPassedTests ?? 0,
    failed: Math.max(report.numFailedTests ?? 0, report.success ? 0 : 1),
    failures,
    flaky: retried.flatMap(inFewLines),
  };
}

/** @returns {Reading} */
export function readPlaywright(report) {
  const { expected = 0, flaky = 0, unexpected = 0 } = report.stats ?? {};
  const failures = [];
  const retried = [];
  for (const { spec, test } of testsOf(report)) {
    const file = `e2e/${spec.file}`;
    const name = `${file}:${spec.line} › ${spec.title}`;
    const first = test.results?.find(({ status }) => status !== 'passed');
    if (test.status === 'unexpected' || test.status === 'flaky')
      (test.status === 'flaky' ? retried : failures).push({ file, name, lines: linesOfErrors(first?.errors ?? []) });
  }
  for (const error of report.errors ?? []) failures.push({ file: '', name: 'outside of a test', lines: linesOfErrors([error]) });
  return {
    passed: expected + flaky,
    failed: Math.max(unexpected, failures.length),
    failures,
    flaky: retried.flatMap(inFewLines),
  };
}

/** Summary: the first failures with reasons, the others by name, then tests that passed only on retry. */
export function summaryLines(readings) {
  const failures = firstOfEachFile(readings.flatMap(({ failures: each }) => each));
  const summary = failures.slice(0, MOST_WHOLE).flatMap(({ name, lines }) => ['', `FAILED ${name}`, ...lines.map((line) => `    ${line}`)]);
  const further = failures.slice(MOST_WHOLE);
  for (const { name, lines } of further.slice(0, MOST_NAMED)) summary.push(`FAILED ${name}: ${lines[0]}`);
  if (further.length > MOST_NAMED) summary.push(`and ${further.length - MOST_NAMED} more above`);
  const flaky = readings.flatMap((reading) => reading.flaky);
  if (flaky.length > 0) summary.push('', 'Passed only on retry; fix these tests:', ...flaky.map((line) => `  ${line}`));
  return summary;
}

function inFewLines({ name, lines }) {
  return [name, ...lines.slice(0, 6).map((line) => `    ${line}`)];
}

/** One failure may cause the next in its file, so the first of each file is listed first. */
function firstOfEachFile(failures) {
  const first = new Map();
  for (const failure of failures) if (!first.has(failure.file)) first.set(failure.file, failure);
  const others = failures.filter((failure) => first.get(failure.file) !== failure);
  return [...first.values(), ...others];
}

function* testsOf(suite) {
  for (const spec of suite.specs ?? []) for (const test of spec.tests ?? []) yield { spec, test };
  for (const inner of suite.suites ?? []) yield* testsOf(inner);
}

function linesOfErrors(errors) {
  return errors.flatMap(({ message, value, location }) => {
    const place = location === undefined ? [] : [`at ${location.file.split('/').slice(-2).join('/')}:${location.line}:${location.column}`];
    return [...relevantLines(message ?? value, MOST_LINES - 1), ...place];
  });
}

/** Relevant lines: no colours, blank lines or library frames. */
function relevantLines(text = 'No message.', most = MOST_LINES) {
  const lines = stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.trimEnd().slice(0, 300))
    .filter((line) => line.trim() !== '' && !/^\s*at .*(node_modules|node:internal)/.test(line));
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), `(${lines.length - most + 1} more lines)`];
}
