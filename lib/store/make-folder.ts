import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder and those above it that are missing; throws what the system says where it cannot. One level after the other, since
 * `recursive` of mkdir never returns where a file system answers ENOENT below a folder that is there, as /proc does.
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Somebody else made it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}
