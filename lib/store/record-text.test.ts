import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readRecords, writeRecords } from './record-text.ts';

const KEY = 4_711;
const ROOM = 4_096;
const textsArbitrary = fc.array(fc.string({ unit: 'grapheme', maxLength: 300 }), { minLength: 1, maxLength: 20 });

/** Records in several writes, as a file has them. */
function fileOf(writes: readonly (readonly string[])[], before: Buffer = Buffer.alloc(0)): { content: Buffer; ends: number[] } {
  let content = before;
  let chain = { end: 0, check: KEY };
  let number = 7;
  const ends: number[] = [];
  for (const texts of writes) {
    const { bytes, ...next } = writeRecords(texts, number, chain, content.length, ROOM);
    content = Buffer.concat([content.subarray(0, chain.end), bytes, content.subarray(chain.end + bytes.length)]);
    number += texts.length;
    chain = next;
    ends.push(next.end);
  }
  return { content, ends };
}

it('come back with their numbers, in any number of writes, and nothing but them', () => {
  fc.assert(
    fc.property(fc.array(textsArbitrary, { minLength: 1, maxLength: 4 }), (writes) => {
      const { content, ends } = fileOf(writes);
      const { records, end } = readRecords(content, KEY);
      expect(records).toEqual(writes.flat().map((text, index) => ({ number: 7 + index, text })));
      expect(end).toBe(ends.at(-1));
      expect(content.length % ROOM).toBe(0);
      expect(readRecords(content, KEY + 1).records).toEqual([]);
    }),
  );
});

it('end where a write was cut off or a byte is another, and those before are whole', () => {
  fc.assert(
    fc.property(textsArbitrary, fc.nat(), fc.boolean(), (texts, somewhere, isCut) => {
      const { content, ends } = fileOf(texts.map((text) => [text]));
      const at = somewhere % (ends.at(-1) ?? 1);
      const broken = isCut ? content.subarray(0, at) : Buffer.from(content);
      if (!isCut) broken.writeUInt8(content.readUInt8(at) ^ 1, at);
      const whole = ends.filter((end) => end <= at).length;
      expect(readRecords(broken, KEY).records.map(({ text }) => text)).toEqual(texts.slice(0, whole));
    }),
  );
});

it('of an earlier round do not follow those of a later one', () => {
  const earlier = fileOf([['one', 'two', 'six']]);
  const later = fileOf([['ten']], earlier.content);
  expect(readRecords(later.content, KEY).records.map(({ text }) => text)).toEqual(['ten']);
});
