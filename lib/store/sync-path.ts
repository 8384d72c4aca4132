import { closeSync, fsyncSync, openSync } from 'node:fs';

/** So that a loss of power from here on loses nothing of it: of a file what is in it, of a folder the names. */
export function syncPath(place: string): void {
  const descriptor = openSync(place, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
