import { createHash, randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { appendFile, chmod, lstat, mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { LocalFile } from '#lib/contract/instance.ts';

/** Which files of an extensions folder are shared, and their contents. Paths are relative, with slashes. */

export const FILES_MOST = 20_000;
const FILE_BYTES_MOST = 1_048_576;
const DEPTH_MOST = 12;
const PACKAGES = new Set(['node_modules', '__pycache__', 'venv', 'site-packages']);
const READS_MOST = 5;
/** A file with a more recent change may still be written; an empty one was probably just opened. */
export const REST_MS = 20;
const REST_EMPTY_MS = 500;
/** The first failure may be temporary, as when a folder replaces a file in two steps. */
const FAILURES_REPORTED = 2;

export interface FolderListing {
  readonly shared: ReadonlyMap<string, Stats>;
  /** All others, except temporary files. */
  readonly local: readonly LocalFile[];
  /** Files and folders that could not be read; nothing is known about their content. */
  readonly unreadable: readonly string[];
}

export async function listFolder(root: string): Promise<FolderListing> {
  const shared = new Map<string, Stats>();
  const local: LocalFile[] = [];
  const unreadable: string[] = [];
  /** Null: removed meanwhile, or unreadable. */
  const known = async <Value>(file: string, found: Promise<Value>): Promise<Value | null> => {
    // Without the root, the state of every file is unknown.
    if (file === '') return await found;
    try {
      return await nullIfMissing(found);
    } catch {
      unreadable.push(file);
      local.push({ path: file, reason: 'special' });
      return null;
    }
  };
  const read = async (folder: string, depth: number): Promise<void> => {
    for (const item of (await known(folder, readdir(path.join(root, folder), { withFileTypes: true }))) ?? []) {
      const file = folder === '' ? item.name : `${folder}/${item.name}`;
      const reason = reasonOf(item.name, item.isSymbolicLink(), item.isFile() || item.isDirectory());
      if (reason !== null) {
        if (!item.name.endsWith('.tmp')) local.push({ path: file, reason });
      } else if (item.isDirectory()) {
        if (depth < DEPTH_MOST) await read(file, depth + 1);
        else local.push({ path: file, reason: 'deep' });
      } else {
        const facts = await known(file, lstat(path.join(root, file)));
        if (facts === null) continue;
        if (facts.size > FILE_BYTES_MOST) local.push({ path: file, reason: 'large' });
        else if (shared.size >= FILES_MOST) local.push({ path: file, reason: 'many' });
        else shared.set(file, facts);
      }
    }
  };
  await read('', 1);
  return { shared, local, unreadable };
}

/** Facts of an existing file. */
export function isShareable(file: string): boolean {
  const parts = file.split('/');
  return parts.length <= DEPTH_MOST && parts.every((part) => part !== '' && part !== '..' && reasonOf(part, false, true) === null);
}

export interface FileContent {
  readonly hash: string;
  readonly content: Uint8Array;
  readonly facts: Stats;
}

/**
 * Null: no file, possibly a folder; `local`: not shared. A file that changes while it is read is read again.
 * @throws when it is unreadable, because it may exist
 */
export async function readFileOf(root: string, file: string): Promise<FileContent | 'local' | null> {
  const target = path.join(root, file);
  for (let reads = 1; ; reads += 1) {
    if (await isBehindLink(root, file)) return 'local';
    const facts = await nullIfMissing(lstat(target));
    if (facts === null || facts.isDirectory()) return null;
    if (!facts.isFile() || facts.size > FILE_BYTES_MOST) return 'local';
    const handle = await nullIfMissing(open(target));
    if (handle === null) return null;
    try {
      const content = await handle.readFile();
      if (!isSame(facts, await handle.stat()) && reads < READS_MOST) continue;
      if (content.length > FILE_BYTES_MOST) return 'local';
      return { hash: createHash('sha256').update(content).digest('hex'), content, facts };
    } finally {
      await handle.close();
    }
  }
}

/** Such a file is outside the folder, or also has another path. */
async function isBehindLink(root: string, file: string): Promise<boolean> {
  for (const folder of foldersAbove(file)) {
    const facts = await nullIfMissing(lstat(path.join(root, folder)));
    if (facts?.isDirectory() !== true) return facts?.isSymbolicLink() === true;
  }
  return false;
}

/** Outermost first. */
export function foldersAbove(file: string): string[] {
  const parts = file.split('/');
  return parts.slice(1).map((_, depth) => parts.slice(0, depth + 1).join('/'));
}

/**
 * Writes a file beside and renames it, also in place of an empty folder; null removes it.
 * @param isWanted called just before; when false, nothing is written and the result is null
 */
export async function replaceFile(
  root: string,
  file: string,
  content: Uint8Array | null,
  isWanted: () => Promise<boolean>,
): Promise<Stats | 'removed' | null> {
  const target = path.join(root, file);
  if (content === null) {
    if (!(await isWanted())) return null;
    await rm(target, { force: true });
    await removeEmptyFolders(root, path.dirname(target));
    return 'removed';
  }
  await mkdir(path.dirname(target), { recursive: true });
  const beside = path.join(path.dirname(target), `.${randomUUID()}.tmp`);
  const { mode, isNew } = await permissionsFor(target, content, 0o666);
  try {
    await writeFile(beside, content, { flag: 'wx', mode });
    // The umask may have removed permissions at creation.
    if (!isNew) await chmod(beside, mode);
    if (!(await isWanted())) return null;
    await rmdir(target).catch(() => undefined);
    await rename(beside, target);
  } finally {
    await rm(beside, { force: true });
  }
  return await lstat(target);
}

/**
 * Permissions of a written file: those that it has. One that is or becomes a program is executable, since nobody can set that in
 * the browser or on another server.
 * @param usual of a new file
 */
export async function permissionsFor(
  target: string,
  content: Uint8Array,
  usual: number,
): Promise<{ readonly mode: number; readonly isNew: boolean }> {
  const facts = await nullIfMissing(lstat(target));
  const isNew = facts?.isFile() !== true;
  const mode = isNew ? usual : facts.mode & 0o777;
  const becomesProgram = isProgram(content) && (isNew || !isProgram((await nullIfMissing(readFile(target))) ?? content));
  // Who may read it may run it.
  return { mode: becomesProgram ? mode | ((mode & 0o444) >> 2) : mode, isNew };
}

/** A script with an interpreter line, or a program of Linux. */
function isProgram(content: Uint8Array): boolean {
  const start = Buffer.from(content.subarray(0, 4)).toString('latin1');
  return start.startsWith('#!') || start === '\u007fELF';
}

async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  if (path.relative(root, folder) === '' || path.relative(root, folder).startsWith('..')) return;
  try {
    await rmdir(folder);
  } catch {
    return;
  }
  await removeEmptyFolders(root, path.dirname(folder));
}

/** An unreadable or unwritable file fails alone and is reported; an unreachable database fails all files. */
export function createAttempts(log: (level: 'warn', message: string, fields: Readonly<Record<string, unknown>>) => void) {
  const failures = new Map<string, number>();
  return {
    /** Whether it succeeded. */
    async run(file: string, step: () => Promise<void>): Promise<boolean> {
      try {
        await step();
        failures.delete(file);
        return true;
      } catch (error) {
        const code = codeOf(error);
        if (code === 'storage_unavailable' || code === 'storage_full') throw error;
        const count = (failures.get(file) ?? 0) + 1;
        failures.set(file, count);
        if (count === FAILURES_REPORTED)
          log('warn', 'a file could not be synchronized with the other instances; retrying', { file, error: String(error) });
        return false;
      }
    },
    failed: (): Iterable<string> => failures.keys(),
  };
}

/** Changes when the folder is mounted or created again. */
export async function identityOf(folder: string): Promise<string | null> {
  const facts = await stat(folder, { bigint: true }).catch(() => null);
  return facts?.isDirectory() === true ? `${facts.dev} ${facts.ino} ${facts.birthtimeNs}` : null;
}

/** Null: it does not exist. Other errors, such as too many open files, do not mean that. */
async function nullIfMissing<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : 'unknown';
}

export type FileFacts = Pick<Stats, 'mtimeMs' | 'size' | 'ino'>;

export function isSame(one: FileFacts, other: FileFacts): boolean {
  return one.mtimeMs === other.mtimeMs && one.size === other.size && one.ino === other.ino;
}

/** The clock of the file system may differ, so a time in the future proves nothing. */
export function isAtRest({ mtimeMs, size }: FileFacts, time: number): boolean {
  return Math.abs(time - mtimeMs) > (size === 0 ? REST_EMPTY_MS : REST_MS);
}

/** Null: missing or unreachable, such as below a folder that became a file. */
export function factsOf(absolute: string): Stats | null {
  try {
    return lstatSync(absolute);
  } catch {
    return null;
  }
}

function reasonOf(name: string, isLink: boolean, isPlain: boolean): LocalFile['reason'] | null {
  if (name.startsWith('.')) return 'hidden';
  if (PACKAGES.has(name)) return 'packages';
  if (isLink) return 'link';
  return isPlain ? null : 'special';
}

/**
 * The base version in the database of each file of a folder, and the identity of the folder. Stored in a file across restarts:
 * a line with all, then a line per change, so that a save in a folder of thousands of files writes one line. What can go wrong:
 * - the last line is truncated: it is skipped, and the file is rewritten before the next line;
 * - the file cannot be written: the missing changes are written with the next attempt.
 */
interface FileBases {
  get(file: string): string | null;
  /** Null: no file. */
  set(file: string, hash: string | null): void;
  files(): Iterable<string>;
  /** Identity of the folder, stored with the next change. */
  setFolder(identity: string): void;
  /** Loads the stored versions and returns the identity of their folder; null: unknown. */
  read(): Promise<string | null>;
  /** Writes the changes since the last call. */
  store(): Promise<void>;
}

const lineSchema = z.union([
  z.object({ files: z.record(z.string(), z.string()), folder: z.string().optional() }),
  z.tuple([z.string(), z.string().nullable()]),
]);
const LINES_MOST = 1_000;

export function createFileBases(stateFile: string): FileBases {
  const bases = new Map<string, string>();
  const unstored = new Set<string>();
  /** Lines since the file was rewritten; after a start, the first write rewrites it. */
  let lines = Number.POSITIVE_INFINITY;
  let folder: string | undefined;
  let isFolderStored = true;

  function put(file: string, hash: string | null): void {
    if (hash === null) bases.delete(file);
    else bases.set(file, hash);
  }

  async function write(changed: readonly string[]): Promise<void> {
    if (lines + changed.length <= Math.max(LINES_MOST, bases.size)) {
      await appendFile(stateFile, changed.map((file) => `${JSON.stringify([file, bases.get(file) ?? null])}\n`).join(''));
      lines += changed.length;
      return;
    }
    const beside = `${stateFile}.${randomUUID()}.tmp`;
    await writeFile(beside, `${JSON.stringify({ files: Object.fromEntries(bases), folder })}\n`);
    await rename(beside, stateFile);
    lines = 0;
  }

  return {
    get: (file) => bases.get(file) ?? null,
    set(file, hash) {
      if ((bases.get(file) ?? null) === hash) return;
      unstored.add(file);
      put(file, hash);
    },
    files: () => bases.keys(),
    setFolder(identity) {
      if (folder === identity) return;
      folder = identity;
      lines = Number.POSITIVE_INFINITY;
      isFolderStored = false;
    },
    async read() {
      let stored: string | null = null;
      const text = await readFile(stateFile, 'utf8').catch(() => '');
      for (const line of text.split('\n')) {
        const { data } = lineSchema.safeParse(parseOrNull(line));
        if (Array.isArray(data)) put(...data);
        else if (data !== undefined) {
          stored = data.folder ?? null;
          for (const [file, hash] of Object.entries(data.files)) put(file, hash);
        }
      }
      return stored;
    },
    async store() {
      if (unstored.size === 0 && isFolderStored) return;
      const changed = [...unstored];
      unstored.clear();
      try {
        await write(changed);
        isFolderStored = true;
      } catch (error) {
        lines = Number.POSITIVE_INFINITY;
        for (const file of changed) unstored.add(file);
        throw error;
      }
    },
  };
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
