import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import { PLAIN_LINE_END, placeAt } from '#lib/schema/hints/source-place.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';

/** Sources are UTF-8. A lenient decoder would silently load other encodings with U+FFFD instead of characters. */
export interface EncodingFault extends Required<Pick<RawFailure, 'message' | 'hint' | 'line' | 'column'>> {
  readonly code: 'unreadable';
}

const MARKS: readonly (readonly [name: string, mark: readonly number[]])[] = [
  ['UTF-32 (little-endian)', [0xff, 0xfe, 0, 0]],
  ['UTF-32 (big-endian)', [0, 0, 0xfe, 0xff]],
  ['UTF-16 (little-endian)', [0xff, 0xfe]],
  ['UTF-16 (big-endian)', [0xfe, 0xff]],
];
const LOOKED_AT = 256;
const HINT =
  'Save the file as UTF-8. In VS Code: reopen it with its current encoding (“Reopen with Encoding”), then choose “Save with Encoding”, UTF-8.';

/** Null if the bytes are UTF-8. Line and column count from 1, the byte in the message from 0. */
export function encodingFault(file: string, bytes: Uint8Array): EncodingFault | null {
  const name = path.basename(file);
  const wide = wideEncoding(bytes);
  if (wide !== null)
    return { code: 'unreadable', message: `${name} is encoded as ${wide}; sources must be UTF-8.`, hint: HINT, line: 1, column: 1 };
  if (isUtf8(bytes)) return null;
  const at = firstInvalid(bytes);
  const place = placeAt(new TextDecoder().decode(bytes.subarray(0, at)), Infinity, PLAIN_LINE_END);
  const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  return {
    code: 'unreadable',
    message: `${name} is not UTF-8: byte ${at} (0x${byte}), at line ${place.line}, column ${place.column}, is part of no UTF-8 character. The file looks like ${guess(bytes)}.`,
    hint: HINT,
    ...place,
  };
}

/** By its byte order mark; without one, by every second byte being 0, as in UTF-16 of mostly Latin text. */
function wideEncoding(bytes: Uint8Array): string | null {
  const marked = MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  if (marked !== undefined) return marked[0];
  const head = bytes.subarray(0, LOOKED_AT);
  if (head.length < 4 || !head.includes(0)) return null;
  const zeros = [0, 0];
  head.forEach((byte, at) => (zeros[at % 2] = (zeros[at % 2] ?? 0) + (byte === 0 ? 1 : 0)));
  const [even = 0, odd = 0] = zeros;
  const most = Math.floor(head.length / 2) * 0.8;
  if (odd >= most && even === 0) return 'UTF-16 (little-endian, without a byte order mark)';
  return even >= most && odd === 0 ? 'UTF-16 (big-endian, without a byte order mark)' : null;
}

/** No multi-byte character of UTF-8 contains a line end, so the faulty line can be searched separately. */
function firstInvalid(bytes: Uint8Array): number {
  let from = 0;
  for (;;) {
    const found = bytes.indexOf(0x0a, from);
    const end = found === -1 ? bytes.length : found;
    if (!isUtf8(bytes.subarray(from, end))) break;
    if (found === -1) return bytes.length;
    from = end + 1;
  }
  for (let at = from; at < bytes.length;) {
    const length = lengthOfCharacter(bytes[at] ?? 0);
    if (!isUtf8(bytes.subarray(at, at + length))) return at;
    at += length;
  }
  return bytes.length;
}

function lengthOfCharacter(first: number): number {
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** In Western text, non-ASCII bytes are isolated; in most other scripts they are consecutive. */
function guess(bytes: Uint8Array): string {
  if (bytes.includes(0)) return 'binary data';
  const runs = [
    ...Buffer.from(bytes)
      .toString('latin1')
      .matchAll(/[\u0080-\u00ff]+/g),
  ].map(([run]) => run.length);
  const single = runs.filter((length) => length === 1).length;
  return single * 2 > runs.length
    ? 'Windows-1252 or Latin-1 (ISO 8859-1)'
    : 'an older encoding of another script, such as Windows-1251, Shift_JIS, GB18030 or EUC-KR';
}
