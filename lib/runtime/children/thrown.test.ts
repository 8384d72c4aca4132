import { expect, test } from 'vitest';
import { toCallError } from './thrown.ts';

const notFound = (message: string): Error => Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' });

test.each([
  ['/data/artifacts/1a/de.ts', './de.ts'],
  ['/data/artifacts/1a/words/de.ts', './words/de.ts'],
  ['/data/artifacts/_lib/de.ts', '../_lib/de.ts'],
  ['/data/de.ts', '../../de.ts'],
])('explains how to write an import of a computed path, without the path of the program: %s', (reported, written) => {
  const { message } = toCallError(notFound(`Cannot find module '${reported}' imported from /data/artifacts/1a/program.mjs`), 'x');
  expect(message).toContain(`Cannot find "${written}"`);
  expect(message).toContain(`new URL("${written}", import.meta.url).href`);
  expect(message).not.toContain('/data');
});

test.each([
  [
    "Cannot find module '/extensions/x/de.ts' imported from /data/artifacts/1a/program.mjs",
    "Cannot find the module '/extensions/x/de.ts'.",
  ],
  ["Cannot find package 'pg' imported from /data/artifacts/1a/program.mjs", "Cannot find the package 'pg'."],
])('omits the importer of a missing module: %s', (reported, message) => {
  expect(toCallError(notFound(reported), 'x').message).toBe(message);
});

test.each([
  [new AggregateError([new Error('a'), new TypeError('b')], 'agg'), 'agg\n- a\n- TypeError: b'],
  [new AggregateError([new Error('mirror 10'), new Error('mirror 1')], 'away'), 'away\n- mirror 10\n- mirror 1'],
  [new Error('again: a', { cause: new Error('a') }), 'again: a'],
  [new Error('fetch (no route) failed', { cause: new Error('no route') }), 'fetch (no route) failed'],
  [new Error('failed', { cause: Object.assign(new Error(''), { message: ' ' }) }), 'failed'],
])('reports inner errors that the message does not contain: %s', (thrown, message) => {
  expect(toCallError(thrown, 'x').message).toBe(message);
});

test('reports both errors of a failed disposal, the original one first', () => {
  const close = (what: string) => ({
    [Symbol.dispose]() {
      throw new RangeError(`cannot close ${what}`);
    },
  });
  const leave = (): void => {
    using _file = close('the file');
    using _line = close('the line');
    throw new Error('there is no such city');
  };
  let thrown: unknown;
  try {
    leave();
  } catch (error) {
    thrown = error;
  }
  expect(toCallError(thrown, 'x').message.split('\n').slice(1)).toEqual([
    '- there is no such city',
    '- RangeError: cannot close the line',
    '- RangeError: cannot close the file',
  ]);
});

test.each([
  [{ error: new Error('x') }, '{ error: [x] }'],
  [[new TypeError('no such city')], '[ [TypeError: no such city] ]'],
  [{ code: 500, cause: { inner: new RangeError('deep') } }, '{ code: 500, cause: { inner: [RangeError: deep] } }'],
])('shows errors inside a thrown value without their stacks: %o', (thrown, shown) => {
  expect(toCallError(thrown, 'x').message).toBe(`a value that is not an error was thrown: ${shown}`);
});

test.each([
  ['large', { rows: 'q'.repeat(70_000) }],
  ['circular', Object.assign([], { 0: null })],
])('reports omitted data of an error: %s', (kind, data) => {
  if (kind === 'circular') Reflect.set(data, 0, data);
  expect(toCallError(Object.assign(new Error('no'), { data }), 'x')).toEqual({
    kind: 'execution_error',
    message: 'no',
    data: '(left out: more than 64 KiB, or not JSON)',
  });
});
