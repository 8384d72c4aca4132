import { describe, expect, it } from 'vitest';
import { hashToken, isTokenText, makeTokenText, shownToken } from './token-text.ts';

describe('the text of a token', () => {
  it('has the prefix that scanners recognize, and its checksum', () => {
    const text = makeTokenText();
    expect(text).toMatch(/^swb_[0-9A-Za-z]{46}$/);
    expect(isTokenText(text)).toBe(true);
    expect(makeTokenText()).not.toBe(text);
  });

  it('has a checksum that others can compute: CRC-32 in base 62, most significant digit first', () => {
    // Computed by another program: zlib.crc32(b'0' * 40) in Python, with the digits 0-9A-Za-z.
    expect(makeTokenText((count) => new Uint8Array(count))).toBe(`swb_${'0'.repeat(40)}2kaqcA`);
  });

  it('skips bytes that would make some letters more likely than others', () => {
    let turn = 0;
    const text = makeTokenText((count) => new Uint8Array(count).fill((turn += 1) === 1 ? 255 : 1));
    expect(text.slice(4, 44)).toBe('1'.repeat(40));
  });

  it.each([
    ['a changed letter', (text: string) => text.slice(0, 10) + (text[10] === 'a' ? 'b' : 'a') + text.slice(11)],
    ['two swapped letters', (text: string) => `${text.slice(0, -2)}${text.at(-1)}${text.at(-2) === text.at(-1) ? '!' : text.at(-2)}`],
    ['one letter too few', (text: string) => text.slice(0, -1)],
    ['one letter too many', (text: string) => `${text}0`],
    ['another prefix', (text: string) => text.replace('swb_', 'swc_')],
    ['a blank before it', (text: string) => ` ${text}`],
    ['a line after it', (text: string) => `${text}\n`],
  ])('is invalid with %s', (_, change) => {
    expect(isTokenText(change(makeTokenText()))).toBe(false);
  });

  it('is stored as a hash, and shown by its prefix', () => {
    const text = makeTokenText((count) => new Uint8Array(count));
    expect(hashToken(text)).toMatch(/^[0-9a-f]{64}$/);
    expect(hashToken(text)).not.toBe(hashToken(`${text} `));
    expect(shownToken(text)).toBe('swb_000000…');
  });
});
