import { createHash, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, open, readdir, appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { LocalFile } from '#lib/contract/instance.ts';

/** Which files of an extensions folder are shared, and their contents. Paths are relative, with slashes. */

export const FILES_MOST = 20_000;
const FILE_BYTES_MOST = 1_048_576;
const DEPTH_MOST = 12;
const PACKAGES = new Set(['node_modules', '__pycache__', 'venv', 'site-packages']);
const READS_MOST = 5;

export interface FolderListing {
  readonly shared: ReadonlyMap<string, Stats>;
  /** The rest, except temporary files. */
  readonly local: readonly LocalFile[];
}

export async function listFolder(root: string): Promise<FolderListing> {
  const shared = new Map<string, Stats>();
  const local: LocalFile[] = [];
  const read = async (folder: string, depth: number): Promise<void> => {
    for (const item of await readdir(path.join(root, folder), { withFileTypes: true })) {
      const file = folder === '' ? item.name : `${folder}/${item.name}`;
      const reason = reasonOf(item.name, item.isSymbolicLink(), item.isFile() || item.isDirectory());
      if (reason !== null) {
        if (!item.name.endsWith('.tmp')) local.push({ path: file, reason });
      } else if (item.isDirectory()) {
        if (depth < DEPTH_MOST) await read(file, depth + 1);
        else local.push({ path: file, reason: 'deep' });
      } else {
        const facts = await lstat(path.join(root, file)).catch(nothing);
        if (facts === null) continue;
        if (facts.size > FILE_BYTES_MOST) local.push({ path: file, reason: 'large' });
        else if (shared.size >= FILES_MOST) local.push({ path: file, reason: 'many' });
        else shared.set(file, facts);
      }
    }
  };
  await read('', 1);
  return { shared, local };
}

/** Of a file that is there. */
export function isShareable(file: string): boolean {
  const parts = file.split('/');
  return parts.length <= DEPTH_MOST && parts.every((part) => part !== '' && part !== '..' && reasonOf(part, false, true) === null);
}

export interface FileContent {
  readonly hash: string;
  readonly content: Uint8Array;
  readonly facts: Stats;
}

/** Null: no file there; `local`: something that is not shared. A file that changes while it is read is read again. */
export async function readFileOf(root: string, file: string): Promise<FileContent | 'local' | null> {
  const target = path.join(root, file);
  for (let reads = 1; ; reads += 1) {
    const facts = await lstat(target).catch(nothing);
    if (facts === null) return null;
    if (!facts.isFile() || facts.size > FILE_BYTES_MOST) return 'local';
    const handle = await open(target).catch(nothing);
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

export type FileFacts = Pick<Stats, 'mtimeMs' | 'size' | 'ino'>;

export function isSame(one: FileFacts, other: FileFacts): boolean {
  return one.mtimeMs === other.mtimeMs && one.size === other.size && one.ino === other.ino;
}

function reasonOf(name: string, isLink: boolean, isPlain: boolean): LocalFile['reason'] | null {
  if (name.startsWith('.')) return 'hidden';
  if (PACKAGES.has(name)) return 'packages';
  if (isLink) return 'link';
  return isPlain ? null : 'special';
}

function nothing(): null {
  return null;
}

/**
 * The version in the database that each file of a folder began from, and which folder it was. A file remembers them over
 * restarts: a line with all, then a line for each change, so that a save in a folder of thousands of files writes a line. What
 * can go wrong:
 * - the last line is cut: it is skipped, and the file is rewritten before the next line;
 * - the file cannot be written: what is missing is written with the next attempt.
 */
interface FileBases {
  get(file: string): string | null;
  /** Null: no file. */
  set(file: string, hash: string | null): void;
  files(): Iterable<string>;
  /** Identity of the folder, stored with the next change. */
  setFolder(identity: string): void;
  /** Returns the identity of the folder of the stored versions; null: unknown. */
  read(): Promise<string | null>;
  /** Writes what changed since the last time. */
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
  /** Since the file was rewritten, which it is first after a start. */
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
