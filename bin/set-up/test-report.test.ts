import { expect, it } from 'vitest';
import { readPlaywright, readVitest, summaryLines } from './test-report.mjs';

const CALL_LOG = `\u001B[2mexpect(\u001B[22m\u001B[31mlocator\u001B[39m) failed

Locator: getByText('Saved')
Expected: visible
${Array.from({ length: 40 }, (_, at) => `  - waiting, ${at}`).join('\n')}`;

function specs(...found: readonly (readonly [string, string])[]) {
  return found.map(([title, status]) => ({
    title,
    file: 'a.spec.ts',
    line: 7,
    tests: [
      {
        status,
        results: [{ status: 'failed', errors: [{ message: CALL_LOG, location: { file: '/x/e2e/a.spec.ts', line: 9, column: 3 } }] }],
      },
    ],
  }));
}

it('summarises each failed browser test with expectation and location, without colours', () => {
  const reading = readPlaywright({
    stats: { expected: 5, flaky: 1, unexpected: 1 },
    suites: [{ suites: [{ specs: specs(['saves', 'unexpected'], ['opens', 'flaky']) }], specs: [] }],
    errors: [],
  });
  expect(reading).toMatchObject({ passed: 6, failed: 1 });
  const summary = summaryLines([reading]);
  expect(summary.slice(0, 4)).toEqual([
    '',
    'FAILED e2e/a.spec.ts:7 › saves',
    '    expect(locator) failed',
    "    Locator: getByText('Saved')",
  ]);
  expect(summary).toContain('    at e2e/a.spec.ts:9:3');
  expect(summary).toContain('  e2e/a.spec.ts:7 › opens');
  expect(summary.length).toBeLessThan(35);
});

it('counts errors outside of tests as failures', () => {
  const reading = readPlaywright({
    stats: { expected: 5, flaky: 0, unexpected: 0 },
    suites: [],
    errors: [{ message: 'Error: The server complained' }],
  });
  expect(reading.failed).toBe(1);
  expect(summaryLines([reading])).toEqual(['', 'FAILED outside of a test', '    Error: The server complained']);
});

it('summarises failed unit tests and unreadable files without library frames', () => {
  const reading = readVitest({
    numPassedTests: 3,
    numFailedTests: 1,
    success: false,
    testResults: [
      {
        name: '/x/lib/store/a.test.ts',
        status: 'failed',
        assertionResults: [
          { status: 'passed', fullName: 'keeps' },
          {
            status: 'failed',
            fullName: 'gives',
            failureMessages: ['AssertionError: 1 is not 2\n    at /x/lib/store/a.test.ts:3:1\n    at node_modules/x.js:1:1'],
          },
        ],
      },
      { name: '/x/lib/store/b.test.ts', status: 'failed', message: 'SyntaxError', assertionResults: [] },
    ],
  });
  expect(summaryLines([reading])).toEqual([
    '',
    'FAILED lib/store/a.test.ts › gives',
    '    AssertionError: 1 is not 2',
    '        at /x/lib/store/a.test.ts:3:1',
    '',
    'FAILED lib/store/b.test.ts',
    '    SyntaxError',
  ]);
});

it('names tests of Vitest that passed only on retry, with the reason', () => {
  const reading = readVitest({
    numPassedTests: 2,
    success: true,
    testResults: [
      {
        name: '/x/lib/store/a.test.ts',
        status: 'passed',
        assertionResults: [
          { status: 'passed', fullName: 'keeps', failureMessages: [] },
          { status: 'passed', fullName: 'gives', failureMessages: ['AssertionError: 1 is not 2'] },
        ],
      },
    ],
  });
  expect(reading).toMatchObject({ passed: 2, failed: 0 });
  expect(summaryLines([reading]).slice(2)).toEqual(['  lib/store/a.test.ts › gives', '      AssertionError: 1 is not 2']);
});

it('shows the first failures in full, others in a line each, and counts the rest', () => {
  const reading = readPlaywright({
    stats: { expected: 0, flaky: 0, unexpected: 40 },
    suites: [{ specs: specs(...Array.from({ length: 40 }, (_, at) => [`test ${at}`, 'unexpected'] as const)) }],
  });
  const summary = summaryLines([reading]);
  expect(summary).toContain('FAILED e2e/a.spec.ts:7 › test 5: expect(locator) failed');
  expect(summary.at(-1)).toBe('and 15 more above');
  expect(summary.length).toBeLessThan(120);
});

it('lists the first failure of each file before its later ones', () => {
  const failed = (fullName: string) => ({ status: 'failed', fullName, failureMessages: ['no'] });
  const reading = readVitest({
    numFailedTests: 41,
    testResults: [
      { name: '/x/lib/host/a.test.ts', assertionResults: Array.from({ length: 40 }, (_, at) => failed(`test ${at}`)) },
      { name: '/x/lib/host/b.test.ts', assertionResults: [failed('alone')] },
    ],
  });
  expect(
    summaryLines([reading])
      .filter((line) => line.startsWith('FAILED'))
      .slice(0, 3),
  ).toEqual(['FAILED lib/host/a.test.ts › test 0', 'FAILED lib/host/b.test.ts › alone', 'FAILED lib/host/a.test.ts › test 1']);
});

it('prints nothing without failures', () => {
  expect(summaryLines([readVitest({ numPassedTests: 3, numFailedTests: 0, success: true, testResults: [] })])).toEqual([]);
});
