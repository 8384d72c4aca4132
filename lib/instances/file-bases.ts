import { randomUUID } from 'node:crypto';
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';

/**
 * The version in the database that each file of a folder began from, and which folder it was. A file remembers them over
 * restarts: a line with all, then a line for each change, so that a save in a folder of thousands of files writes a line. What
 * can go wrong:
 * - the last line is cut: it is skipped, and the file is rewritten before the next line;
 * - the file cannot be written: what is missing is written with the next attempt.
 */
export interface FileBases {
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
