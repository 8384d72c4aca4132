import { expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { logConsole } from './console-to-log.ts';

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

it('keeps an error with its stack', () => {
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
