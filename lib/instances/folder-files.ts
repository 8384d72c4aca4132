import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';
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
