import {
  close,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { syncPath } from './sync-path.ts';
import { createWritePace } from './write-pace.ts';
import type { WritePace } from './write-pace.ts';

/** A file that is written at places of its own choice, and each write of which is on the disk before it is answered. */
export interface RecordFile {
  /** All of it. */
  read(): Buffer;
  /** In bytes, as far as it was written. */
  size(): number;
  /** `done` gets null, or why not all of it is there; before `write` returns where the disk is quick. */
  write(bytes: Buffer, position: number, done: (error: Error | null) => void): void;
  /** To this many bytes, where it is longer. */
  shorten(bytes: number): void;
  close(): Promise<void>;
}

/** Those that stand beside a database, written in turns. */
export type RecordFiles = readonly [RecordFile, RecordFile];

/** Where the system has no such flag, each write is followed by a sync. */
const SYNCED_WRITES: number | undefined = constants.O_DSYNC;

/** With so many bytes a change of thread no longer counts. */
const LARGE_BYTES = 65_536;

export function openRecordFiles(database: string, pace: WritePace = createWritePace()): RecordFiles {
  const mode = statSync(database).mode & 0o777;
  const [first, second] = recordFilesOf(database);
  return [openRecordFile(first, mode, pace), openRecordFile(second, mode, pace)];
}

export function recordFilesOf(database: string): readonly [string, string] {
  return [`${database}-calls-a`, `${database}-calls-b`];
}

/** Why they cannot be opened, as a start tells it. */
export function explainUnusableRecords(database: string, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `The files ${recordFilesOf(database).join(' and ')}, into which calls are written first, cannot be used (${why}). They must be files that the user who runs the server may write, on a disk with space left.`;
}

/**
 * Opens it, or makes it with the rights that are given. What can go wrong: it may not be written, or is no file (thrown); the name
 * of one just made is lost with the power (its folder is synced); the disk takes a part of a write (the rest is asked for, and then
 * refused).
 */
function openRecordFile(file: string, mode: number, pace: WritePace): RecordFile {
  const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | (SYNCED_WRITES ?? 0), mode);
  const found = fstatSync(descriptor);
  if (!found.isFile()) throw new Error(`${file} is not a file`);
  let { size } = found;
  if (size === 0) syncPath(path.dirname(file));

  function writeRest(bytes: Buffer, from: number, position: number, done: (error: Error | null) => void): void {
    write(descriptor, bytes, from, bytes.length - from, position + from, (error, written) => {
      if (error !== null) return done(error);
      size = Math.max(size, position + from + written);
      if (from + written < bytes.length) writeRest(bytes, from + written, position, done);
      else if (SYNCED_WRITES === undefined) fdatasync(descriptor, done);
      else done(null);
    });
  }

  function writeNow(bytes: Buffer, position: number): void {
    for (let from = 0; from < bytes.length;) {
      from += writeSync(descriptor, bytes, from, bytes.length - from, position + from);
      size = Math.max(size, position + from);
    }
    if (SYNCED_WRITES === undefined) fdatasyncSync(descriptor);
  }

  function waitForWrite(bytes: Buffer, position: number): Error | null {
    const began = performance.now();
    try {
      writeNow(bytes, position);
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      pace.took(performance.now() - began);
    }
  }

  return {
    read: () => readFileSync(file),
    size: () => size,
    write(bytes, position, done) {
      if (bytes.length < LARGE_BYTES && pace.waits()) done(waitForWrite(bytes, position));
      else writeRest(bytes, 0, position, done);
    },
    shorten(bytes) {
      if (size <= bytes) return;
      ftruncateSync(descriptor, bytes);
      size = bytes;
    },
    close: () => new Promise((resolve, reject) => close(descriptor, (error) => (error == null ? resolve() : reject(error)))),
  };
}
