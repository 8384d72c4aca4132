import { describe, expect, it } from 'vitest';
import type { EventLog } from './event-log.ts';
import { createEventLog } from './event-log.ts';

function createLog(kept = 5): { log: EventLog; errors: unknown[]; released: number[] } {
  let next = 1;
  const errors: unknown[] = [];
  const released: number[] = [];
  const log = createEventLog({
    reserve: (count) => (next += count) - count,
    release: (id) => void released.push(id),
    onListenerError: (error) => void errors.push(error),
    kept,
  });
  return { log, errors, released };
}

const publish = (log: EventLog, count: number): void => {
  for (let index = 0; index < count; index++) log.publish('call.started', { snapshot_version: 1, call_id: String(index) });
};

describe('the event log', () => {
  it('numbers events consecutively and returns those after an id', () => {
    const { log } = createLog();
    publish(log, 3);
    expect(log.lastId()).toBe(3);
    expect(log.since(1)?.map((event) => event.id)).toEqual([2, 3]);
    expect(log.since(3)).toEqual([]);
  });

  it('returns null to a reader whose gap exceeds the log, or whose id is in the future', () => {
    const { log } = createLog(5);
    publish(log, 30);
    expect(log.since(2)).toBeNull();
    expect(log.since(25)?.length).toBe(5);
    expect(log.since(31)).toBeNull();
  });

  it('notifies the other listeners when one throws, and no listener that unsubscribed', () => {
    const { log, errors } = createLog();
    const heard: number[] = [];
    log.subscribe(() => {
      throw new Error('bad listener');
    });
    const leave = log.subscribe((event) => void heard.push(event.id));
    publish(log, 2);
    leave();
    publish(log, 1);
    expect(heard).toEqual([1, 2]);
    expect(errors).toHaveLength(3);
  });

  it('returns only the requested types', () => {
    const { log } = createLog();
    const heard: string[] = [];
    log.subscribe((event) => void heard.push(event.type), ['call.finished']);
    publish(log, 1);
    log.publish('call.finished', { snapshot_version: 1 });
    expect(heard).toEqual(['call.finished']);
  });

  it('returns unused ids', () => {
    const { log, released } = createLog();
    publish(log, 2);
    log.close();
    expect(released).toEqual([3]);
  });
});
