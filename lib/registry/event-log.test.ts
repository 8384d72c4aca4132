import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createEventLog, type EventLog } from './event-log.ts';

async function createLog(kept = 5): Promise<{ log: EventLog; errors: unknown[]; released: number[]; reserved: () => number }> {
  let next = 1;
  const errors: unknown[] = [];
  const released: number[] = [];
  const log = await createEventLog({
    reserve: async (count) => (next += count) - count,
    release: async (id, end) => void released.push(id, end),
    onListenerError: (error) => void errors.push(error),
    kept,
  });
  return { log, errors, released, reserved: () => next };
}

const publish = (log: EventLog, count: number): void => {
  for (let index = 0; index < count; index++) log.publish('call.started', { snapshot_version: 1, call_id: String(index) });
};

describe('the event log', () => {
  it('numbers events consecutively and returns those after an id', async () => {
    const { log } = await createLog();
    publish(log, 3);
    expect(log.lastId()).toBe(3);
    expect(log.since(1)?.map((event) => event.id)).toEqual([2, 3]);
    expect(log.since(3)).toEqual([]);
  });

  it('returns null to a reader whose gap exceeds the log, or whose id is in the future', async () => {
    const { log } = await createLog(5);
    publish(log, 30);
    expect(log.since(2)).toBeNull();
    expect(log.since(25)?.length).toBe(5);
    expect(log.since(31)).toBeNull();
  });

  it('notifies the other listeners when one throws, and no listener that unsubscribed', async () => {
    const { log, errors } = await createLog();
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

  it('returns only the requested types', async () => {
    const { log } = await createLog();
    const heard: string[] = [];
    log.subscribe((event) => void heard.push(event.type), ['call.finished']);
    publish(log, 1);
    log.publish('call.finished', { snapshot_version: 1 });
    expect(heard).toEqual(['call.finished']);
  });

  it('continues numbering across blocks, and returns the rest of the last block', async () => {
    const { log, released, reserved } = await createLog();
    for (let burst = 0; burst < 5; burst += 1) {
      publish(log, 7_000);
      await setImmediate();
    }
    expect(log.lastId()).toBe(35_000);
    await log.close();
    expect(released).toEqual([35_001, reserved()]);
  });

  it('continues while no more ids can be reserved', async () => {
    let reserved = 0;
    const log = await createEventLog({
      async reserve(count) {
        if (reserved > 0) throw new Error('the database is locked');
        reserved += count;
        return 1;
      },
      release: async () => undefined,
      onListenerError: () => undefined,
    });
    publish(log, 12_000);
    await setImmediate();
    publish(log, 1);
    expect(log.lastId()).toBe(12_001);
    await log.close();
  });

  it('returns unused ids', async () => {
    const { log, released, reserved } = await createLog();
    publish(log, 2);
    await log.close();
    expect(released).toEqual([3, reserved()]);
  });
});
