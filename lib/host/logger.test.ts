import { expect, test, it } from 'vitest';
import { createKnownSecrets } from '#lib/contract/known-secrets.ts';
import { createLogger, logConsole, type LoggerOptions } from './logger.ts';

function written(change: Partial<LoggerOptions>, log: (logger: ReturnType<typeof createLogger>) => void): string {
  let text = '';
  log(
    createLogger({
      readable: false,
      now: () => new Date(0),
      ...change,
      write: (line) => {
        text += line;
      },
    }),
  );
  return text;
}

const HOSTILE = 'a\n{"level":"error"}\u001b[31m\u0085\u2028\u202eb';

test.each([true, false])('one entry is one line without control characters (readable: %s)', (readable) => {
  const text = written({ readable }, (logger) => logger.warn(HOSTILE, { file: HOSTILE }));
  expect(text.endsWith('\n')).toBe(true);
  expect(text.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u2029\u202e]/u);
});

test('the JSON line parses to the logged values', () => {
  const text = written({}, (logger) => logger.info(HOSTILE, { n: 1n, error: new Error('why') }));
  expect(JSON.parse(text)).toMatchObject({
    time: '1970-01-01T00:00:00.000Z',
    level: 'info',
    msg: HOSTILE,
    n: '1',
    error: { message: 'why' },
  });
});

test('an error is logged with its causes, and without other properties', () => {
  const error = Object.freeze(Object.assign(new Error('outer', { cause: new RangeError('inner') }), { given: 'the arguments' }));
  const text = written({}, (logger) => logger.error('Failed', { error, deep: { errors: [new TypeError('deep')] } }));
  expect(JSON.parse(text)).toMatchObject({
    error: { name: 'Error', message: 'outer: inner', stack: expect.stringMatching(/caused by: RangeError: inner/) },
    deep: { errors: [{ name: 'TypeError', message: 'deep' }] },
  });
  expect(text).not.toContain('the arguments');
});

test('a message is not a format string', () => {
  const text = written({}, (logger) => logger.info('100 %s %d %o %%', { n: 1 }));
  expect(JSON.parse(text)).toMatchObject({ msg: '100 %s %d %o %%' });
});

test.each([true, false])('a secret is never logged, in any field (readable: %s)', (readable) => {
  const text = written({ readable, secrets: createKnownSecrets(['tok"en-1']) }, (logger) =>
    logger.error('with tok"en-1', { deep: { header: 'x tok"en-1' } }),
  );
  expect(text).not.toMatch(/tok\\*"en-1/);
});

test.each([true, false])('a secret is redacted before it is escaped or cut (readable: %s)', (readable) => {
  const secret = 'first\u009bsecond\nthird';
  const text = written({ readable, secrets: createKnownSecrets([secret]) }, (logger) =>
    logger.info(`${'x'.repeat(8_180)}${secret}`, { at: secret }),
  );
  expect(text).not.toMatch(/first|second|third/);
});

test.each([true, false])('a field with the name of a secret is redacted at any depth (readable: %s)', (readable) => {
  const fields = { token: 'hush', deep: [{ userPassword: 'hush', headers: { Authorization: 'hush' } }], call_id: 'kept', api_key: null };
  const text = written({ readable }, (logger) => logger.info('Said', fields));
  expect(text).not.toContain('hush');
  expect(text).toContain('kept');
  expect(text.match(/\[secret\]/g)).toHaveLength(3);
});

test('omits entries below its level, and cuts long ones', () => {
  expect(written({}, (logger) => logger.debug('quiet'))).toBe('');
  expect(written({}, (logger) => logger.info('x'.repeat(1_000_000), { circular: {} })).length).toBeLessThan(20_000);
  const endless = written({}, (logger) => logger.info('x', { extension: 'weather', call_id: 'c', list: ['y'.repeat(100_000)] }));
  expect(JSON.parse(endless)).toMatchObject({ level: 'info', msg: 'x', extension: 'weather', call_id: 'c', cut: true });
  expect(endless.length).toBeLessThan(20_000);
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  expect(written({}, (logger) => logger.info('x', circular))).toContain('(not JSON)');
});

function taken(level: 'debug' | 'info' = 'debug'): { console: Pick<Console, 'log' | 'warn' | 'error'>; entries: () => unknown[] } {
  const lines: string[] = [];
  const target: Pick<Console, 'log' | 'warn' | 'error'> = { log: () => undefined, warn: () => undefined, error: () => undefined };
  logConsole(createLogger({ write: (line) => void lines.push(line), readable: false, level }), target);
  return { console: target, entries: () => lines.map((line): unknown => JSON.parse(line)) };
}

it('turns console output of packages into log entries, without colours', () => {
  const { console, entries } = taken();
  console.log('\u001B[32m✓\u001B[0m ready in %d ms', 12);
  console.warn('two\nlines', { a: 1 });
  expect(entries()).toMatchObject([
    { level: 'debug', msg: '✓ ready in 12 ms' },
    { level: 'warn', msg: 'two\nlines { a: 1 }' },
  ]);
});

it('logs an error with its stack', () => {
  const { console, entries } = taken();
  console.error('⨯', new TypeError('no such page'));
  console.error(new Error('alone'));
  expect(entries()).toMatchObject([
    { level: 'error', msg: '⨯', error: { name: 'TypeError', message: 'no such page' } },
    { level: 'error', msg: 'A package of the server reported an error', error: { message: 'alone' } },
  ]);
});

it('logs no empty lines and no informational output', () => {
  const { console, entries } = taken('info');
  console.error('');
  console.log('Running next.config.mjs took 23ms');
  expect(entries()).toEqual([]);
});
