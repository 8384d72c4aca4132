import { randomUUID } from 'node:crypto';
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';

/**
 * The version in the database that each file of a folder began from. A file remembers it over restarts: a line with all, then a
 * line for each change, so that a save in a folder of thousands of files writes a line. What can go wrong:
 * - the last line is cut: it is skipped, and the file is rewritten before the next line;
 * - the file cannot be written: what is missing is written with the next attempt.
 */
export interface FileBases {
  get(file: string): string | null;
  /** Null: no file. */
  set(file: string, hash: string | null): void;
  read(): Promise<void>;
  /** Writes what changed since the last time. */
  store(): Promise<void>;
}

const lineSchema = z.union([z.object({ files: z.record(z.string(), z.string()) }), z.tuple([z.string(), z.string().nullable()])]);
const LINES_MOST = 1_000;

export function createFileBases(stateFile: string): FileBases {
  const bases = new Map<string, string>();
  const unstored = new Set<string>();
  /** Since the file was rewritten, which it is first after a start. */
  let lines = Number.POSITIVE_INFINITY;

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
    await writeFile(beside, `${JSON.stringify({ files: Object.fromEntries(bases) })}\n`);
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
    async read() {
      const text = await readFile(stateFile, 'utf8').catch(() => '');
      for (const line of text.split('\n')) {
        const { data } = lineSchema.safeParse(parseOrNull(line));
        if (Array.isArray(data)) put(...data);
        else if (data !== undefined) for (const [file, hash] of Object.entries(data.files)) put(file, hash);
      }
    },
    async store() {
      if (unstored.size === 0) return;
      const changed = [...unstored];
      unstored.clear();
      try {
        await write(changed);
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
