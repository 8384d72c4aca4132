/**
 * Frames between the host and an extension's process:
 *
 *     u32 length of all that follows | u32 length of the header | header, JSON | payload, raw bytes
 *
 * What can go wrong: the other side is hostile. A false length must cost nothing, so it is checked before a byte is buffered; the
 * header has its own limit, so that a large payload is never parsed. After the first fault the reader ignores all bytes, and its
 * owner ends the process.
 */
export interface FrameLimits {
  readonly maxFrameBytes: number;
  readonly maxHeaderBytes: number;
}

export interface FrameReader {
  push(chunk: Buffer): void;
}

export interface FrameHandlers {
  /** `payload` may share memory with the input: use or copy it before returning. */
  onFrame(header: Readonly<Record<string, unknown>>, payload: Buffer): void;
  /** Called at most once. */
  onFault(reason: string): void;
}

const LENGTH_BYTES = 4;
const PREFIX_BYTES = 2 * LENGTH_BYTES;
const EMPTY = Buffer.alloc(0);

/** One frame as one buffer. */
export function encodeFrame(header: object, payload: string | Uint8Array = EMPTY): Buffer {
  const headerText = JSON.stringify(header);
  const headerBytes = Buffer.byteLength(headerText);
  const payloadBytes = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.byteLength;
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + headerBytes + payloadBytes);
  frame.writeUInt32BE(LENGTH_BYTES + headerBytes + payloadBytes, 0);
  frame.writeUInt32BE(headerBytes, LENGTH_BYTES);
  frame.write(headerText, PREFIX_BYTES, 'utf8');
  if (typeof payload === 'string') frame.write(payload, PREFIX_BYTES + headerBytes, 'utf8');
  else frame.set(payload, PREFIX_BYTES + headerBytes);
  return frame;
}

/** Splits a byte stream into frames. */
export function createFrameReader(limits: FrameLimits, handlers: FrameHandlers): FrameReader {
  let faulty = false;
  /** The start of a frame of unknown length (fewer than 4 bytes). */
  let rest: Buffer = EMPTY;
  /** The frame being filled, allocated once its length is accepted. */
  let body: Buffer | null = null;
  let filled = 0;

  const fail = (reason: string): void => {
    faulty = true;
    rest = EMPTY;
    body = null;
    handlers.onFault(reason);
  };

  const accept = (bytes: Buffer): void => {
    const headerBytes = bytes.readUInt32BE(0);
    if (headerBytes > limits.maxHeaderBytes || headerBytes > bytes.length - LENGTH_BYTES) {
      fail(`a header of ${headerBytes} bytes was announced`);
      return;
    }
    const header = parseHeader(bytes.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + headerBytes));
    if (header === null) fail('a header was not a JSON object');
    else handlers.onFrame(header, bytes.subarray(LENGTH_BYTES + headerBytes));
  };

  return {
    push(chunk) {
      let bytes = chunk;
      if (rest.length > 0) {
        bytes = Buffer.concat([rest, chunk]);
        rest = EMPTY;
      }
      let at = 0;
      while (!faulty) {
        if (body !== null) {
          const taken = Math.min(body.length - filled, bytes.length - at);
          bytes.copy(body, filled, at, at + taken);
          filled += taken;
          at += taken;
          if (filled < body.length) return;
          const complete = body;
          body = null;
          accept(complete);
          continue;
        }
        if (bytes.length - at < LENGTH_BYTES) {
          rest = at === bytes.length ? EMPTY : Buffer.from(bytes.subarray(at));
          return;
        }
        const length = bytes.readUInt32BE(at);
        if (length < LENGTH_BYTES || length > limits.maxFrameBytes) {
          fail(`a message of ${length} bytes was announced; the limit is ${limits.maxFrameBytes}`);
          return;
        }
        at += LENGTH_BYTES;
        if (bytes.length - at >= length) {
          accept(bytes.subarray(at, at + length));
          at += length;
        } else {
          body = Buffer.allocUnsafeSlow(length);
          filled = 0;
        }
      }
    },
  };
}

function parseHeader(text: string): Readonly<Record<string, unknown>> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isRecord(value) ? value : null;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
