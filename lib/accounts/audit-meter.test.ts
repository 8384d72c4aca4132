import { describe, expect, it } from 'vitest';
import { type AuditedEvent, createAuditMeter } from './audit-meter.ts';

const refused: AuditedEvent = {
  actor: { kind: 'stranger', id: null, name: 'nobody' },
  action: 'extensions.reload',
  target: null,
  outcome: 'refused',
  address: '10.0.0.1',
};
const call: AuditedEvent = {
  ...refused,
  actor: { kind: 'token', id: 't1', name: 'nightly (Anna)' },
  action: 'tools.call',
  target: 'rm',
  outcome: 'done',
};

/** The number of entries written immediately. */
function writes(meter: ReturnType<typeof createAuditMeter>, events: readonly AuditedEvent[]): number {
  return events.filter((event, at) => meter.take(event, at)).length;
}

const many = <Value>(count: number, make: (at: number) => Value): Value[] => Array.from({ length: count }, (_, at) => make(at));

describe('the limit of the audit log', () => {
  it('writes everything an admin does', () => {
    const meter = createAuditMeter();
    const edit: AuditedEvent = { ...refused, outcome: 'done', action: 'extensions.edit' };
    expect(
      writes(
        meter,
        many(5_000, () => edit),
      ),
    ).toBe(5_000);
    expect(meter.drain()).toEqual([]);
  });

  it('writes the first of several equal refused attempts and counts the others', () => {
    const meter = createAuditMeter();
    expect(
      writes(
        meter,
        many(1_000, () => refused),
      ),
    ).toBe(1);
    expect(meter.drain()).toEqual([{ event: refused, count: 999, since: 1 }]);
    expect(meter.drain()).toEqual([]);
    expect(meter.take(refused, 0)).toBe(true);
  });

  it('distinguishes attempts by action, target and source', () => {
    const meter = createAuditMeter();
    const others = [
      { ...refused, target: 'weather' },
      { ...refused, action: 'extensions.pin' },
      { ...refused, address: '10.0.0.2' },
    ];
    expect(writes(meter, [refused, ...others])).toBe(4);
  });

  it('is bounded for one source with ever different attempts', () => {
    const meter = createAuditMeter();
    expect(
      writes(
        meter,
        many(10_000, (at) => ({ ...refused, target: `tools/x${at}` })),
      ),
    ).toBe(20);
    const counted = meter.drain();
    expect(counted).toHaveLength(101);
    expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(9_980);
    expect(counted.at(-1)).toMatchObject({
      event: { actor: { name: 'several' }, target: null, action: 'extensions.reload' },
      count: 9_880,
    });
  });

  it('is bounded for ever different sources', () => {
    const meter = createAuditMeter();
    expect(
      writes(
        meter,
        many(10_000, (at) => ({ ...refused, address: `10.0.${at >> 8}.${at & 255}` })),
      ),
    ).toBe(200);
    expect(meter.drain()).toHaveLength(101);
  });

  it('writes each call up to a separate limit', () => {
    const meter = createAuditMeter();
    writes(
      meter,
      many(10_000, (at) => ({ ...refused, address: `10.0.${at >> 8}.${at & 255}` })),
    );
    expect(
      writes(
        meter,
        many(100, () => call),
      ),
    ).toBe(60);
    expect(meter.take({ ...call, actor: { kind: 'token', id: 't2', name: 'other (Anna)' } }, 0)).toBe(true);
  });
});
