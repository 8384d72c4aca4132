import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** The items of a folder, and which of them are code. Links are followed. */
export interface Item {
  readonly name: string;
  readonly path: string;
  readonly type: 'file' | 'folder' | 'unreadable' | 'gone';
}

export const ENTRY_STEM = 'extension';
export const ENTRY_EXTENSIONS: ReadonlySet<string> = new Set(['.ts', '.mts', '.js', '.mjs', '.py']);
const CODE = new Set(['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.py']);
const DECLARATIONS = /\.d\.[mc]?ts$/i;
const NEVER = new Set(['node_modules', '__pycache__']);
/** Common source folders in a project; other or deeper folders are not searched for an entry. */
const DEEPEST = 3;
const FOLDERS_MOST = 50;

export async function readFolder(folder: string): Promise<Item[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return Promise.all(
    entries.map(async (entry): Promise<Item> => {
      const full = path.join(folder, entry.name);
      if (entry.isFile()) return { name: entry.name, path: full, type: 'file' };
      if (entry.isDirectory()) return { name: entry.name, path: full, type: 'folder' };
      try {
        const facts = await stat(full);
        return { name: entry.name, path: full, type: facts.isFile() ? 'file' : facts.isDirectory() ? 'folder' : 'unreadable' };
      } catch {
        return { name: entry.name, path: full, type: 'unreadable' };
      }
    }),
  );
}

/** Code below these items, level by level: that of the first level with any. */
export async function findDeeperCode(items: readonly Item[]): Promise<readonly Item[]> {
  let level = items;
  for (let depth = 1; depth <= DEEPEST; depth += 1) {
    const folders = level.filter((item) => item.type === 'folder' && !isIgnored(item.name)).slice(0, FOLDERS_MOST);
    const inside = await Promise.all(folders.map((folder) => readFolder(folder.path).catch(unlessShort<Item[]>([]))));
    level = inside.flat();
    const code = level.filter((item) => item.type === 'file' && isCode(item.name) && !isIgnored(item.name));
    if (code.length > 0) return code.toSorted((one, next) => (one.path < next.path ? -1 : 1));
  }
  return [];
}

export function isIgnored(name: string): boolean {
  return name.startsWith('_') || name.startsWith('.') || NEVER.has(name);
}

export function extensionOf(name: string): string {
  return path.extname(name);
}

export function stem(name: string): string {
  return path.basename(name, path.extname(name));
}

/** A declaration file contains only types. */
export function isCode(name: string): boolean {
  return CODE.has(extensionOf(name).toLowerCase()) && !DECLARATIONS.test(name);
}

export function isGone(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** No file descriptor is left: nothing is known of the file or folder. */
export function isShort(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EMFILE' || code === 'ENFILE';
}

/** The value in place of an unreadable file or folder. */
export function unlessShort<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (isShort(error)) throw error;
    return value;
  };
}

export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
}
