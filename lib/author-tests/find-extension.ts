import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FailedCandidate } from '#lib/loader/scan.ts';
import { scanExtensions } from '#lib/loader/scanner.ts';

/** Where an extension lies, by the rules of the scanner. */
export interface FoundExtension {
  readonly id: string;
  /** Absolute: the folder of extensions that holds it. */
  readonly extensionsDir: string;
  /** Ids of all others there, in lower case. */
  readonly others: ReadonlySet<string>;
}

const RESERVED = new Set(['tools', 'channels']);

/** Rejects, in words, when the place holds none. */
export async function findExtension(place: string | URL): Promise<FoundExtension> {
  const full = path.resolve(place instanceof URL || place.startsWith('file:') ? fileURLToPath(place) : place);
  const facts = await stat(full).catch(() => null);
  if (facts === null) throw new Error(`There is nothing at ${full}. Name the folder of an extension, or its entry file.`);
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
    return `${full} is no one-file tool or channel. Name one of the files there: ${names.join(', ')}.`;
  return `There is no extension in ${full}. An extension is a folder with extension.ts, extension.py or mcp.json in it, or a file in tools/ or channels/.`;
}
