import { channel } from 'node:diagnostics_channel';

/** Published when the warm-up of a program is complete. */
const warm = channel('switchboard.warm');

export function publishWarm(): void {
  warm.publish(null);
}

export function onWarm(listener: () => void): void {
  warm.subscribe(listener);
}
