import type { EventData, EventType } from '#lib/contract/events.ts';
import { ShortLivedMap } from '#lib/memory/short-lived.ts';
import type { RunningCallRow } from '#lib/store/store.ts';

export interface StepEvents {
  /** Many lines and steps of one call are one event: it only says “look again”. */
  tellSoon(type: 'call.log' | 'call.progress', row: RunningCallRow): void;
  close(): void;
}

const MERGED_MS = 100;

/** Tells of what a call does while it runs. */
export function createStepEvents(publish: (type: EventType, data: EventData) => void): StepEvents {
  const planned = new ShortLivedMap<string, NodeJS.Timeout>();
  return {
    tellSoon(type, row) {
      const key = `${type} ${row.id}`;
      if (planned.has(key)) return;
      const timer = setTimeout(() => {
        planned.delete(key);
        publish(type, {
          snapshot_version: row.snapshotVersion,
          call_id: row.id,
          tool: row.tool,
          extension: row.extension,
          status: 'running',
        });
      }, MERGED_MS);
      planned.set(key, timer);
    },
    close() {
      for (const timer of planned.values()) clearTimeout(timer);
    },
  };
}
