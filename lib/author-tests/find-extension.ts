import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FailedCandidate } from '#lib/loader/scan.ts';
import { scanExtensions } from '#lib/loader/scanner.ts';

/** Location of an extension, by the scanner's rules. */
export interface FoundExtension {
  readonly id: string;
  /** Absolute path of its extensions folder. */
  readonly extensionsDir: string;
  /** Ids of all other extensions there, in lower case. */
  readonly others: ReadonlySet<string>;
}

const RESERVED = new Set(['tools', 'channels']);

/** Rejects with a message if there is no extension. */
export async function findExtension(place: string | URL): Promise<FoundExtension> {
  const full = path.resolve(place instanceof URL || place.startsWith('file:') ? fileURLToPath(place) : place);
  const facts = await stat(full).catch(() => null);
  if (facts === null) throw new Error(`${full} not found. Name an extension folder or an entry file.`);
  const folder = facts.isDirectory() ? full : path.dirname(full);
  const isOneFile = facts.isFile() && RESERVED.has(path.basename(folder));
  const extensionsDir = path.dirname(folder);

  const scan = await scanExtensions(extensionsDir);
  const all = [...scan.candidates, ...scan.failed];
  const found = all.find((one) => (isOneFile ? one.entryFile === full : one.folder === folder && !RESERVED.has(path.basename(folder))));
  if (found === undefined) throw new Error(nothingThere(full, folder, all));
  return {
    id: found.id,
    extensionsDir,
    others: new Set(all.map(({ id }) => id.toLowerCase()).filter((id) => id !== found.id.toLowerCase())),
  };
}

function nothingThere(full: string, folder: string, all: readonly Pick<FailedCandidate, 'folder' | 'entryFile'>[]): string {
  const names = all.flatMap((one) => (one.folder === folder && one.entryFile !== null ? path.basename(one.entryFile) : []));
  if (RESERVED.has(path.basename(folder)) && names.length > 0)
    return `${full} is not a one-file tool or channel. Name one of these files: ${names.join(', ')}.`;
  return `No extension in ${full}. An extension is a folder with extension.ts, extension.py or mcp.json, or a file in tools/ or channels/.`;
}
