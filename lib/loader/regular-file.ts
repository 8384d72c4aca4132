import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';

export type RegularFile =
  /** `facts` are from before it was read. */
  | { readonly ok: true; readonly facts: BigIntStats; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: 'absent' | 'no_file' | 'too_large' };

/** A pipe that replaces a file after the check must not block; Windows has no such flags. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a file of an extension synchronously. Other items (a folder, a pipe, a device) would block the server or never end:
 * they are refused before they are opened. Throws the system error when a file is not readable.
 * @param most bytes
 */
export function readRegularFile(path: string, most: number): RegularFile {
  const kind = statSync(path, { throwIfNoEntry: false });
  if (kind === undefined) return { ok: false, reason: 'absent' };
  if (!kind.isFile()) return { ok: false, reason: 'no_file' };
  const descriptor = openSync(path, READ);
  try {
    const facts = fstatSync(descriptor, { bigint: true });
    if (!facts.isFile()) return { ok: false, reason: 'no_file' };
    if (Number(facts.size) > most) return { ok: false, reason: 'too_large' };
    const bytes = readFileSync(descriptor);
    return bytes.byteLength > most ? { ok: false, reason: 'too_large' } : { ok: true, facts, bytes };
  } finally {
    closeSync(descriptor);
  }
}
