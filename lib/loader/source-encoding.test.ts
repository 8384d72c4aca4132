import { describe, expect, it } from 'vitest';
import { encodingFault } from './source-encoding.ts';

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');

describe('the encoding of a source', () => {
  it.each(['', 'plain', 'é, 天气, 🌧', '\uFEFFwith a mark', 'a\u0000b'])('is accepted when it is UTF-8: %j', (text) => {
    expect(encodingFault('extension.ts', Buffer.from(text))).toBeNull();
  });

  it('is reported with the byte, line and column of the first character that is not UTF-8', () => {
    const bytes = latin1('// plain\r\nconst a = "é";\n');
    expect(encodingFault('/x/extension.ts', bytes)).toEqual({
      code: 'unreadable',
      message:
        'extension.ts is not UTF-8: byte 21 (0xE9), at line 2, column 12, is part of no UTF-8 character. The file looks like Windows-1252 or Latin-1 (ISO 8859-1).',
      hint: expect.stringContaining('UTF-8'),
      line: 2,
      column: 12,
    });
  });

  it('counts lines that end with only a carriage return', () => {
    expect(encodingFault('a.py', latin1('a = 1\rb = "\xe4"\r'))).toMatchObject({ line: 2, column: 6 });
  });

  it.each([
    ['a character that is cut off at the end', Buffer.from('// 天').subarray(0, 5), 1, 4],
    ['a byte that only continues', Buffer.from([0x61, 0x80]), 1, 2],
    ['an overlong form', Buffer.from([0x61, 0x0a, 0xc0, 0xaf]), 2, 1],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80]), 1, 1],
  ])('finds %s', (_, bytes, line, column) => {
    expect(encodingFault('a.ts', bytes)).toMatchObject({ code: 'unreadable', line, column });
  });

  it.each([
    ['UTF-16 (little-endian)', Buffer.from('\uFEFFexport {};', 'utf16le')],
    ['UTF-16 (big-endian)', Buffer.from('\uFEFFexport {};', 'utf16le').swap16()],
    ['UTF-16 (little-endian, without a byte order mark)', Buffer.from('export const a = "é";', 'utf16le')],
    ['UTF-16 (big-endian, without a byte order mark)', Buffer.from('export const a = "é";', 'utf16le').swap16()],
    ['UTF-32 (little-endian)', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])],
  ])('is reported as %s', (name, bytes) => {
    expect(encodingFault('a.ts', bytes)).toMatchObject({
      message: `a.ts is encoded as ${name}; sources must be UTF-8.`,
      line: 1,
      column: 1,
    });
  });

  it('is not reported as Western when non-ASCII bytes are consecutive', () => {
    const shiftJis = Buffer.from([0x22, 0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x22]);
    expect(encodingFault('a.ts', shiftJis)?.message).toContain('Shift_JIS');
    expect(encodingFault('a.png', Buffer.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 0]))?.message).toContain('binary data');
  });
});
