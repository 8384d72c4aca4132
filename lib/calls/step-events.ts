import type { EventData, EventType } from '#lib/contract/events.ts';
import { ShortLivedMap } from '#lib/memory/short-lived.ts';
import type { RunningCallRow } from '#lib/store/store.ts';

const STEP_TYPES = ['call.log', 'call.progress'] as const;
type StepType = (typeof STEP_TYPES)[number];

export interface StepEvents {
  /** Combines many lines and steps of a call into one event, which only causes a refetch. */
  tellSoon(type: StepType, row: RunningCallRow): void;
  /** At the end of a call pending events are emitted immediately, before the event of its end. */
  tellRest(row: RunningCallRow): void;
  close(): void;
}

const MERGED_MS = 100;

/** Emits progress events of a running call. */
export function createStepEvents(publish: (type: EventType, data: EventData) => void): StepEvents {
  const planned = new ShortLivedMap<string, NodeJS.Timeout>();
  const emitStep = (type: StepType, row: RunningCallRow): void => {
    planned.delete(`${type} ${row.id}`);
    publish(type, {
      snapshot_version: row.snapshotVersion,
      call_id: row.id,
      tool: row.tool,
      extension: row.extension,
      status: 'running',
    });
  };
  return {
    tellSoon(type, row) {
      const key = `${type} ${row.id}`;
      if (!planned.has(key)) planned.set(key, setTimeout(emitStep, MERGED_MS, type, row));
    },
    tellRest(row) {
      if (planned.size === 0) return;
      for (const type of STEP_TYPES) {
        const timer = planned.get(`${type} ${row.id}`);
        if (timer === undefined) continue;
        clearTimeout(timer);
        emitStep(type, row);
      }
    },
    close() {
      for (const timer of planned.values()) clearTimeout(timer);
    },
  };
}
