import { expect, test } from 'vitest';
import { fingerprint } from './fingerprint.ts';

const fault = { extension: 'weather', stage: 'import', code: 'import_error', file: 'weather/extension.ts', message: 'boom' };
const of = (message: string) => fingerprint({ ...fault, message }).fingerprint;

test('is 16 bytes in hex, and equal for equal failures', () => {
  expect(of('boom')).toMatch(/^[0-9a-f]{32}$/);
  expect(of('boom')).toBe(of(' boom\n'));
});

test.each([
  ['connect ECONNREFUSED 127.0.0.1:4310', 'connect ECONNREFUSED 10.0.0.7:80'],
  ['connect ECONNREFUSED ::1:4310', 'connect ECONNREFUSED fe80::12:4311'],
  ['no such file "/tmp/run-a/x.json"', 'no such file "/var/data/y.json"'],
  ['failed in file:///tmp/a.ts:3:4', 'failed in file:///srv/b.ts:13:4'],
  ['job 9f86d081884c7d65 failed', 'job 60303ae22b998861 failed'],
  ['id 0198c0de-0000-7000-8000-000000000000', 'id 0198c0de-ffff-7000-8000-00000000000a'],
  ['at 2026-01-02T03:04:05.678Z', 'at 2027-11-12T13:14:15Z'],
  ['object at 0x7ffe12', 'object at 0xdeadbeef'],
  ['waited 12 ms of 3.5 s', 'waited 4711 ms of 80 s'],
])('does not depend on volatile parts: %s', (one, other) => {
  expect(of(one)).toBe(of(other));
});

test('differs by extension, stage, code, file and message', () => {
  const prints = [
    fault,
    { ...fault, extension: 'x' },
    { ...fault, stage: 'run' },
    { ...fault, code: 'x' },
    { ...fault, file: null },
    { ...fault, message: 'bang' },
    { ...fault, message: 'a/b is deadbeat' },
    { ...fault, stack: 'Error: boom\n    at load (weather/extension.ts:3:4)' },
    { ...fault, stack: 'Error: boom\n    at save (weather/extension.ts:9:4)' },
  ].map((parts) => fingerprint(parts).fingerprint);
  expect(new Set(prints).size).toBe(prints.length);
});

test.each([
  ['an async function of Node', '    at async load (weather/extension.ts:3:4)', 'weather/extension.ts load'],
  ['a method of Node', '    at Forecast.load (weather/extension.ts:3:4)', 'weather/extension.ts Forecast.load'],
  ['the top level of Node', '    at weather/extension.ts:3:4', 'weather/extension.ts'],
  ['a function of Python', '  File "weather/extension.ts", line 3, in load', 'weather/extension.ts load'],
  ['the top level of Python', '  File "weather/extension.ts", line 3, in <module>', 'weather/extension.ts'],
  ['a frame of another file', '    at load (other.ts:3:4)', 'weather/extension.ts'],
])('finds the frame in the extension’s own code: %s', (_, line, frame) => {
  expect(fingerprint({ ...fault, stack: `Error: boom\n${line}` }).basis).toMatchObject({ frame, message: 'boom' });
});

test('has one cause for all extensions that a shared helper broke, or that lack the same package', () => {
  const cause = (change: Partial<typeof fault>) => fingerprint({ ...fault, ...change }).cause;
  const helper = { file: 'lib/units.ts' };
  expect(cause({ ...helper, extension: 'math' })).toBe(cause(helper));
  expect(cause({ extension: 'math', file: 'math/extension.ts' })).not.toBe(cause({}));
  const missing = { code: 'import_unresolved', message: 'The package "left-pad" is not installed where this file can reach it.' };
  expect(cause({ ...missing, extension: 'math', file: 'math/extension.ts' })).toBe(cause(missing));
  const relative = { code: 'import_unresolved', message: 'The file "./units.ts" does not exist.' };
  expect(cause({ ...relative, extension: 'math', file: 'math/extension.ts' })).not.toBe(cause(relative));
});
