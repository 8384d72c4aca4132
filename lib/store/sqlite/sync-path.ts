import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Syncs to disk: of a file its content, of a folder its names. */
export function syncPath(place: string): void {
  const descriptor = openSync(place, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
