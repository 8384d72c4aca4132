import { channel } from 'node:diagnostics_channel';

/** A program has gone through its motions: what it needs for its work is loaded and compiled. */
const warm = channel('switchboard.warm');

export function tellWarm(): void {
  warm.publish(null);
}

export function onWarm(listener: () => void): void {
  warm.subscribe(listener);
}
