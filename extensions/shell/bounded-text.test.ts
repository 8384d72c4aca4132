import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBoundedText } from './bounded-text.ts';

describe('a bounded text', () => {
  it('joins characters split between chunks, and never splits one', () => {
    const text = createBoundedText(100);
    for (const byte of Buffer.from('grüße 😀')) text.write(Uint8Array.of(byte));
    assert.deepEqual(text.end(), { text: 'grüße 😀', cut: 0, binary: false });
    const short = createBoundedText(1);
    short.write(Buffer.from('😀😀'));
    assert.deepEqual(short.end(), { text: '', cut: 4, binary: false });
  });

  it('is exact at the limit', () => {
    const text = createBoundedText(3);
    text.write(Buffer.from('abc'));
    assert.deepEqual(text.end(), { text: 'abc', cut: 0, binary: false });
  });
});
