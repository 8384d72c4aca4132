import { describe, expect, it } from 'vitest';
import { hideSecretTexts } from '#lib/contract/secret-texts.ts';
import { createExtensionLog } from './extension-log.ts';
import { createOutputTail } from './framed-process.ts';
import type { ExtensionLogLine } from '#lib/contract/extension.ts';

function logWithClock() {
  const clock = { at: 0 };
  const logged: ExtensionLogLine[] = [];
  return { clock, logged, log: createExtensionLog({ now: () => clock.at, hide: hideSecretTexts, onLine: (line) => logged.push(line) }) };
}

describe('the log of an extension', () => {
  it('contains no secret, printed in one line, in parts, or beyond the line limit', () => {
    const { log } = logWithClock();
    const stream = log.openStream('stdout');
    for (const part of ['password=hun', 'ter2\ntoken: a1b2', 'c3d4\nend']) stream.push(Buffer.from(part));
    log.write('info', 'log', `${'x '.repeat(4_090)}password=hunter2`, null);
    const text = log
      .read()
      .lines.map(({ message }) => message)
      .join('\n');
    expect(text).toContain('password=[redacted]\ntoken: [redacted]\n');
    expect(text).not.toMatch(/hunt|a1b2/);
  });

  it('contains no line of a private key that is printed line by line', () => {
    const { log } = logWithClock();
    const stream = log.openStream('stdout');
    for (const line of ['-----BEGIN PRIVATE KEY-----', 'MIIEvQIBADANBgkq', 'hkiG9w0BAQEFAASC', '-----END PRIVATE KEY-----', 'after'])
      stream.push(Buffer.from(`${line}\n`));
    const text = log
      .read()
      .lines.map(({ message }) => message)
      .join('\n');
    expect(text).toMatch(/^-----BEGIN PRIVATE KEY-----\[redacted\]\n+-----END PRIVATE KEY-----\nafter$/);
  });

  it('joins chunks into lines and shows an unfinished line on read', () => {
    const { log } = logWithClock();
    const stream = log.openStream('stderr');
    const bytes = Buffer.from('één\r\ntwee\nrest');
    for (const byte of bytes) stream.push(Buffer.from([byte]));
    expect(log.read().lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'één'],
      ['warn', 'twee'],
      ['warn', 'rest'],
    ]);
  });

  it('reports how much output of a flood is missing', () => {
    const { log, clock, logged } = logWithClock();
    const stream = log.openStream('stdout');
    for (let chunk = 0; chunk < 10; chunk += 1) stream.push(Buffer.from(`${'x'.repeat(29_999)}\n`));
    clock.at = 300;
    stream.push(Buffer.from('after\n'));
    expect(logged.at(-2)).toMatchObject({
      level: 'warn',
      stream: 'host',
      message: expect.stringContaining('240000 bytes printed to stdout were left out'),
    });
    expect(logged.at(-1)).toMatchObject({ message: 'after' });
  });

  it('keeps the note about missing lines when the lines around it are evicted', () => {
    const { log } = logWithClock();
    log.noteLeftOut('7 log lines were left out');
    for (let line = 0; line < 5_000; line += 1) log.write('info', 'log', `line ${line}`, null);
    log.openStream('stdout').push(Buffer.from('a\n'.repeat(30_000)));
    const first = log.read();
    expect(first.lines[0]).toMatchObject({ level: 'warn', stream: 'host', message: '7 log lines were left out' });
    expect(first.dropped + first.lines.length).toBe(35_001);
    log.noteLeftOut('8 log lines were left out');
    for (let line = 0; line < 5_000; line += 1) log.write('info', 'log', `line ${line}`, null);
    const { lines, dropped } = log.read();
    expect(lines.filter(({ stream }) => stream === 'host').map(({ message }) => message)).toEqual(['8 log lines were left out']);
    expect(dropped + lines.length).toBe(40_002);
    expect(lines.reduce((sum, { message }) => sum + message.length, 0)).toBeLessThanOrEqual(65_536);
  });

  it('creates no lines that the rest of the same chunk evicts', () => {
    const { log, logged } = logWithClock();
    const stream = log.openStream('stderr');
    log.write('info', 'host', 'before', null);
    stream.push(Buffer.from(`cut ${Array.from({ length: 8_000 }, (_, line) => `${line}\n`).join('')}open`));
    expect(logged.length).toBeLessThan(1_500);
    const { lines, truncated, dropped } = log.read();
    expect(lines.slice(-2).map(({ message }) => message)).toEqual(['7999', 'open']);
    expect([truncated, dropped]).toEqual([true, 8_002 - lines.length]);
    expect(lines.length).toBeGreaterThan(900);
    for (const each of ['\n'.repeat(30_000), '\r\n'.repeat(10)]) log.openStream('stdout').push(Buffer.from(each));
    expect(log.read().dropped + log.read().lines.length).toBe(38_012);
  });

  it('truncates an endless line and keeps the newest lines', () => {
    const { log } = logWithClock();
    log.write('info', 'log', 'y'.repeat(100_000), 'call');
    expect(log.read().lines[0]?.message).toMatch(/^y{8192} … \(truncated; the line had 100000 characters\)$/);
    for (let line = 0; line < 5_000; line += 1) log.write('info', 'log', `line ${line}`, null);
    const { lines, truncated } = log.read();
    expect(truncated).toBe(true);
    expect(lines.at(-1)?.message).toBe('line 4999');
    expect(lines.length).toBeLessThan(1_500);
  });
});

describe('the tail of the output', () => {
  it('is the newest part, marked as such, and starts with a complete character', () => {
    const tail = createOutputTail(10);
    expect(tail.text()).toBeNull();
    tail.push('short');
    expect(tail.text()).toBe('short');
    for (let part = 0; part < 50; part += 1) tail.push('é-');
    expect(tail.text()).toBe('… (earlier output was truncated)\n-é-é-é-');
  });
});
