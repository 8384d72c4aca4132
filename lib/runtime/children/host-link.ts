import { Socket } from 'node:net';
import { createFrameReader, encodeFrame } from '../frames.ts';
import { DESCRIPTION_BYTES } from '../messages.ts';
import type { RawDescription } from '../runtime.ts';

/**
 * The child's end of the pipe to the host (descriptor 3). A write reaches the kernel at once while there is space, so messages
 * before a crash still arrive. The process ends when the host has died.
 */
export interface HostLink {
  send(header: object, payload?: string): void;
  /** Unsent bytes: the host reads more slowly than this process writes. */
  backlog(): number;
}

export const LINK_DESCRIPTOR = 3;
const HEADER_BYTES = 16 * 1_048_576;
const FRAME_BYTES = 256 * 1_048_576;

export function createHostLink(onMessage: (header: Readonly<Record<string, unknown>>, payload: Buffer) => void): HostLink {
  const socket = new Socket({ fd: LINK_DESCRIPTOR, readable: true, writable: true });
  /** `process.exit` can be delayed by handlers of the extension; this cannot. */
  const leave = (): void => {
    process.kill(process.pid, 'SIGKILL');
  };
  const reader = createFrameReader({ maxFrameBytes: FRAME_BYTES, maxHeaderBytes: HEADER_BYTES }, { onFrame: onMessage, onFault: leave });
  socket.on('data', (chunk: Buffer) => reader.push(chunk));
  socket.on('end', leave);
  socket.on('error', leave);
  socket.on('close', leave);
  return {
    send(header, payload) {
      socket.write(encodeFrame(header, payload));
    },
    backlog: () => socket.writableLength,
  };
}

/** The description as text for the host; null if it is too large for the host. The limit is in bytes, not characters. */
export function descriptionText(raw: RawDescription): string | null {
  const text = JSON.stringify(raw);
  return Buffer.byteLength(text) > DESCRIPTION_BYTES ? null : text;
}

export const DESCRIPTION_TOO_LARGE = `The tool descriptions contain more than ${DESCRIPTION_BYTES / 1_048_576} MiB of JSON. Shorten the descriptions and schemas.`;
