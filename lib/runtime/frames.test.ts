import { describe, expect, it } from 'vitest';
import { createFrameReader, encodeFrame } from './frames.ts';

const LIMITS = { maxFrameBytes: 1_000, maxHeaderBytes: 100 };

function read(chunks: readonly Buffer[]) {
  const frames: { header: unknown; payload: string }[] = [];
  const faults: string[] = [];
  const reader = createFrameReader(LIMITS, {
    onFrame: (header, payload) => frames.push({ header, payload: payload.toString() }),
    onFault: (reason) => faults.push(reason),
  });
  for (const chunk of chunks) reader.push(chunk);
  return { frames, faults };
}

describe('frames', () => {
  const bytes = Buffer.concat([
    encodeFrame({ type: 'one' }),
    encodeFrame({ type: 'two' }, 'päyload'),
    encodeFrame({ type: 'three' }, Buffer.from('x'.repeat(800))),
  ]);
  const expected = [
    { header: { type: 'one' }, payload: '' },
    { header: { type: 'two' }, payload: 'päyload' },
    { header: { type: 'three' }, payload: 'x'.repeat(800) },
  ];

  it('are complete for any chunking of the bytes', () => {
    for (const size of [1, 2, 3, 5, 7, 64, 333, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
      expect(read(chunks)).toEqual({ frames: expected, faults: [] });
    }
  });

  it.each([
    ['a length beyond the limit', Buffer.from([0xff, 0xff, 0xff, 0xff]), 'a message of 4294967295 bytes was announced; the limit is 1000'],
    ['a length that leaves no space for a header', Buffer.from([0, 0, 0, 3]), 'a message of 3 bytes was announced; the limit is 1000'],
    ['a header longer than its frame', Buffer.from([0, 0, 0, 6, 0, 0, 0, 9, 0x7b, 0x7d]), 'a header of 9 bytes was announced'],
    ['a header that is not JSON', Buffer.from([0, 0, 0, 6, 0, 0, 0, 2, 0x7b, 0x7b]), 'a header was not a JSON object'],
    ['a header that is a list', Buffer.from([0, 0, 0, 6, 0, 0, 0, 2, 0x5b, 0x5d]), 'a header was not a JSON object'],
  ])('end at %s, and later bytes are ignored', (_name, wrong, reason) => {
    expect(read([wrong, encodeFrame({ type: 'late' })])).toEqual({ frames: [], faults: [reason] });
  });

  it('before a fault in the same chunk are delivered', () => {
    expect(read([Buffer.concat([encodeFrame({ type: 'one' }), Buffer.from([0xff, 0, 0, 0])])])).toMatchObject({
      frames: [{ header: { type: 'one' } }],
      faults: [expect.any(String)],
    });
  });

  it('with a long header are refused within the frame limit', () => {
    expect(read([encodeFrame({ text: 'x'.repeat(200) })]).faults).toHaveLength(1);
  });
});
