import { crc32 } from 'node:zlib';

/**
 * Records as they lie in a file, one behind the other: the length of the text, a check, the number, the text in UTF-8. The check is
 * that of the record and of all before it in the file, begun with a key. So a record counts only where all before it are whole, and
 * what an earlier round, another database or a write that was cut off has left behind the last one does not.
 */
export interface NumberedRecord {
  readonly number: number;
  readonly text: string;
}

/** Length and check, 4 bytes each, then the number as a double. */
const HEAD_BYTES = 16;
const NUMBER_AT = 8;

/** What comes first in a file: the check before it. */
export interface Chain {
  /** In bytes. */
  readonly end: number;
  readonly check: number;
}

export interface Written extends Chain {
  readonly bytes: Buffer;
}

/**
 * Records that follow a chain; the first gets `number`, each other one more.
 * @param roomBytes the file grows by so much at a time: zeros follow a record that does not fit below `sizeOfFile`
 */
export function writeRecords(texts: readonly string[], number: number, after: Chain, sizeOfFile: number, roomBytes: number): Written {
  let length = 0;
  for (const text of texts) length += HEAD_BYTES + Buffer.byteLength(text);
  const end = after.end + length;
  const bytes = end <= sizeOfFile ? Buffer.allocUnsafe(length) : Buffer.alloc(Math.ceil(end / roomBytes) * roomBytes - after.end);
  let { check } = after;
  let at = 0;
  for (const [index, text] of texts.entries()) {
    const size = bytes.write(text, at + HEAD_BYTES);
    bytes.writeUInt32LE(size, at);
    bytes.writeDoubleLE(number + index, at + NUMBER_AT);
    check = crc32(bytes.subarray(at + NUMBER_AT, at + HEAD_BYTES + size), check);
    bytes.writeUInt32LE(check, at + 4);
    at += HEAD_BYTES + size;
  }
  return { bytes, end, check };
}

/** The records of a file that are whole, and where they end. */
export function readRecords(bytes: Buffer, key: number): Chain & { readonly records: readonly NumberedRecord[] } {
  const records: NumberedRecord[] = [];
  let check = key;
  let at = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    const end = at + HEAD_BYTES + bytes.readUInt32LE(at);
    if (end > bytes.length) break;
    const next = crc32(bytes.subarray(at + NUMBER_AT, end), check);
    if (next !== bytes.readUInt32LE(at + 4)) break;
    records.push({ number: bytes.readDoubleLE(at + NUMBER_AT), text: bytes.toString('utf8', at + HEAD_BYTES, end) });
    check = next;
    at = end;
  }
  return { records, end: at, check };
}
