import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';

/**
 * `process.stdout` and `process.stderr` of an extension, written straight to their descriptors. Node's own streams over a socket
 * pair fail with EINVAL when much is printed to a slow reader [seen on Node 26, Linux 6]; the uncaught error would then end a call.
 * Output that cannot be written is lost; printing never throws.
 */
export function replaceStandardStreams(): void {
  for (const [name, descriptor] of [
    ['stdout', 1],
    ['stderr', 2],
  ] as const) {
    const stream = Object.assign(createStream(descriptor), { fd: descriptor, isTTY: false });
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => stream });
  }
}

function createStream(descriptor: number): Writable {
  return new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, done) {
      writeAll(descriptor, chunk);
      done();
    },
    destroy(_error, done) {
      done(null);
    },
  });
}

const TRIES = 1_000;

function writeAll(descriptor: number, bytes: Buffer): void {
  let at = 0;
  let tries = 0;
  while (at < bytes.length && tries < TRIES) {
    try {
      at += writeSync(descriptor, bytes, at);
      tries = 0;
    } catch (error) {
      const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
      if (code !== 'EAGAIN' && code !== 'EINTR') return;
      tries += 1;
      Atomics.wait(PAUSE, 0, 0, 1);
    }
  }
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4));
