import { createHash } from 'node:crypto';
import { relative, sep } from 'node:path';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import type { BuildInput, Candidate } from './build.ts';
import { readRegularFile } from './regular-file.ts';

/**
 * Reads the sources of one build, each once, and remembers them.
 *
 * What can go wrong:
 * - a file is saved during the build: its metadata (size, times, inode) is read before its text, so the save shows
 *   as a later change, never as "already built";
 * - a path is not a regular file (a folder, a pipe, a device), which would block or never end: it is refused before it is
 *   opened;
 * - sources are too large: they are refused.
 *
 * Reads are synchronous: an asynchronous read of a small file takes ten times as long, and a save waits for several of them.
 */
export interface SourceReader {
  /** Reads a file, from memory after the first time in this build. Never rejects. */
  read(path: string): Promise<SourceRead>;
  /** Whether a read was refused because the sources are too large in total. */
  tooLarge(): boolean;
  /** The files read so far, ordered by path. */
  inputs(): readonly BuildInput[];
  /** Path relative to the extensions folder → text; without `.env` files. */
  sources(): Readonly<Record<string, string>>;
  /** sha256 in hex over the read files; `salt` first. */
  hash(salt: string): string;
}

export type SourceRead =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly reason: 'absent' | 'unreadable' | 'too_large'; readonly message: string };

/** All sources of one extension, in bytes. */
export const SOURCE_BYTES_MOST = 10_485_760;

/** The entry of an extension, or the first failure to read its sources. */
export function readableEntry(
  { id, entryFile }: Candidate,
  reader: SourceReader,
  envFile: string,
  env: SourceRead,
  entry: SourceRead,
): { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly failure: RawFailure } {
  const code = 'unreadable';
  if (reader.tooLarge()) {
    const message = `The sources of "${id}" are more than ${SOURCE_BYTES_MOST / 1_048_576} MiB in total; an extension cannot have more.`;
    const hint = 'Keep data out of the code: read large files at run time instead of importing them.';
    return { ok: false, failure: { code, message, hint, file: entryFile } };
  }
  if (!env.ok && env.reason === 'unreadable') return { ok: false, failure: { code, message: env.message, file: envFile } };
  return entry.ok ? entry : { ok: false, failure: { code, message: entry.message, file: entryFile } };
}

interface KnownSource {
  readonly input: BuildInput;
  readonly bytes: Uint8Array;
}

/**
 * @param hiddenFile is read and hashed, and is not among the sources
 * @param stored texts of an earlier revision by relative path, in place of the files
 */
export function createSourceReader(extensionsDir: string, hiddenFile: string, stored: Readonly<Record<string, string>> = {}): SourceReader {
  const known = new Map<string, KnownSource>();
  let total = 0;
  let refused = false;

  async function read(path: string): Promise<SourceRead> {
    const before = known.get(path);
    if (before !== undefined) return { ok: true, bytes: before.bytes };
    const text = stored[relative(extensionsDir, path).replaceAll(sep, '/')];
    if (text !== undefined) {
      const bytes = new TextEncoder().encode(text);
      known.set(path, { input: { path, size: bytes.byteLength, mtimeNs: '0', ctimeNs: '0', ino: '0' }, bytes });
      return { ok: true, bytes };
    }
    try {
      const file = readRegularFile(path, SOURCE_BYTES_MOST - total);
      if (!file.ok) return file.reason === 'absent' ? absent(path) : file.reason === 'no_file' ? notAFile(path) : refuse(path);
      const { facts, bytes } = file;
      total += bytes.byteLength;
      const input = {
        path,
        size: Number(facts.size),
        mtimeNs: String(facts.mtimeNs),
        ctimeNs: String(facts.ctimeNs),
        ino: String(facts.ino),
      };
      known.set(path, { input, bytes });
      return { ok: true, bytes };
    } catch (error) {
      return explainReadError(path, error);
    }
  }

  function refuse(path: string): SourceRead {
    refused = true;
    return { ok: false, reason: 'too_large', message: `With ${path}, the sources of this extension exceed 10 MiB in total.` };
  }

  function sorted(): readonly (readonly [string, KnownSource])[] {
    const named = [...known.values()].map((source) => [relative(extensionsDir, source.input.path).replaceAll(sep, '/'), source] as const);
    return named.toSorted(([left], [right]) => (left < right ? -1 : 1));
  }

  return {
    read,
    tooLarge: () => refused,
    inputs: () => sorted().map(([, source]) => source.input),
    sources() {
      const shown = sorted().filter(([, source]) => source.input.path !== hiddenFile);
      return Object.fromEntries(shown.map(([name, source]) => [name, new TextDecoder().decode(source.bytes)]));
    },
    hash(salt) {
      const hash = createHash('sha256').update(`${salt}\0`);
      for (const [name, source] of sorted()) hash.update(`${name}\0${source.bytes.byteLength}\0`).update(source.bytes);
      return hash.digest('hex');
    },
  };
}

function explainReadError(path: string, error: unknown): SourceRead {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return absent(path);
  if (code === 'EACCES' || code === 'EPERM')
    return { ok: false, reason: 'unreadable', message: `${path} is not readable by the user that runs the server.` };
  if (code === 'ELOOP')
    return { ok: false, reason: 'unreadable', message: `${path} is a symbolic link to itself, directly or through other links.` };
  return { ok: false, reason: 'unreadable', message: `${path} could not be read (${code === '' ? String(error) : code}).` };
}

function absent(path: string): SourceRead {
  return { ok: false, reason: 'absent', message: `${path} no longer exists.` };
}

function notAFile(path: string): SourceRead {
  return { ok: false, reason: 'unreadable', message: `${path} is not a file.` };
}
