import { stripVTControlCharacters } from 'node:util';

/**
 * What the reports of vitest and Playwright say, in few lines: whoever reads only the end of a long log learns there what failed
 * and why. The reports are files that a tool which was ended may have left in any state; what they lack is left out.
 *
 * @typedef {{ file: string, name: string, lines: string[] }} Failure
 * @typedef {{ passed: number, failed: number, failures: Failure[], flaky: string[] }} Reading
 */
const MOST_LINES = 15;
const MOST_WHOLE = 5;
const MOST_NAMED = 20;

/** @returns {Reading} */
export function readVitest(report) {
  const failures = (report.testResults ?? []).flatMap((file) => {
    const failed = (file.assertionResults ?? []).filter((test) => test.status === 'failed');
    const place = file.name.split('/').slice(-3).join('/');
    if (failed.length === 0 && file.status === 'failed') return [{ file: place, name: place, lines: essence(file.message) }];
    return failed.map((test) => ({ file: place, name: `${place} › ${test.fullName}`, lines: essence(test.failureMessages?.join('\n')) }));
  });
  return {
    passed: report.numPassedTests ?? 0,
    failed: Math.max(report.numFailedTests ?? 0, report.success ? 0 : 1),
    failures,
    flaky: [],
  };
}

/** @returns {Reading} */
export function readPlaywright(report) {
  const { expected = 0, flaky = 0, unexpected = 0 } = report.stats ?? {};
  const failures = [];
  const names = [];
  for (const { spec, test } of testsOf(report)) {
    const file = `e2e/${spec.file}`;
    const name = `${file}:${spec.line} › ${spec.title}`;
    const first = test.results?.find(({ status }) => status !== 'passed');
    if (test.status === 'unexpected' || test.status === 'flaky')
      (test.status === 'flaky' ? names : failures).push({ file, name, lines: essenceOf(first?.errors ?? []) });
  }
  for (const error of report.errors ?? []) failures.push({ file: '', name: 'outside of a test', lines: essenceOf([error]) });
  return {
    passed: expected + flaky,
    failed: Math.max(unexpected, failures.length),
    failures,
    flaky: names.flatMap(({ name, lines }) => [name, ...lines.slice(0, 6).map((line) => `    ${line}`)]),
  };
}

/** The end of the log: the first failures with their reasons, the others in a line, then what passed only when it was tried again. */
export function tellReadings(readings) {
  const failures = firstOfEachFile(readings.flatMap(({ failures: each }) => each));
  const told = failures.slice(0, MOST_WHOLE).flatMap(({ name, lines }) => ['', `FAILED ${name}`, ...lines.map((line) => `    ${line}`)]);
  const further = failures.slice(MOST_WHOLE);
  for (const { name, lines } of further.slice(0, MOST_NAMED)) told.push(`FAILED ${name}: ${lines[0]}`);
  if (further.length > MOST_NAMED) told.push(`and ${further.length - MOST_NAMED} more, further up`);
  const flaky = readings.flatMap((reading) => reading.flaky);
  if (flaky.length > 0) told.push('', 'Passed only when tried again, which is a fault to be mended:', ...flaky.map((line) => `  ${line}`));
  return told;
}

/** One failure may bring down all that follow in its file: the first of each file comes before the others. */
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

function essenceOf(errors) {
  return errors.flatMap(({ message, value, location }) => {
    const place = location === undefined ? [] : [`at ${location.file.split('/').slice(-2).join('/')}:${location.line}:${location.column}`];
    return [...essence(message ?? value, MOST_LINES - 1), ...place];
  });
}

/** The lines that tell: without colours, gaps, and the frames of libraries. */
function essence(text = 'It left no message.', most = MOST_LINES) {
  const lines = stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.trimEnd().slice(0, 300))
    .filter((line) => line.trim() !== '' && !/^\s*at .*(node_modules|node:internal)/.test(line));
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), `(${lines.length - most + 1} more lines)`];
}
