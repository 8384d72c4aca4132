import { describe, expect, it } from 'vitest';
import type { AuditRepository, AuditRow } from '#lib/store/account-store.ts';
import type { AuditedEvent } from './audit-meter.ts';
import { createAudit } from './audit.ts';

const done: AuditedEvent = {
  actor: { kind: 'member', id: 'm1', name: 'Anna' },
  action: 'extensions.edit',
  target: 'weather/extension.ts',
  outcome: 'done',
  address: '10.0.0.1',
  detail: { hash: 'abc' },
};
const refused: AuditedEvent = { ...done, outcome: 'refused', action: 'extensions.reload', target: null };

function fixture(faults = 0, retryMs = 1) {
  const rows: AuditRow[] = [];
  const errors: unknown[] = [];
  let left = faults;
  const repository: AuditRepository = {
    async append(more) {
      if (left > 0) {
        left -= 1;
        throw new Error('the disk is full');
      }
      rows.push(...more);
    },
    list: async () => null,
  };
  return {
    rows,
    errors,
    audit: createAudit({ repository, onError: (error) => errors.push(error), now: () => 1_000, countedMs: 600_000, retryMs }),
  };
}

describe('the audit log', () => {
  it('writes entries with an id and the time', async () => {
    const { audit, rows } = fixture();
    audit.record(done);
    await audit.close();
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        at: 1_000,
        actorKind: 'member',
        actorId: 'm1',
        actorName: 'Anna',
        action: 'extensions.edit',
        target: 'weather/extension.ts',
        outcome: 'done',
        address: '10.0.0.1',
        detail: { hash: 'abc' },
      },
    ]);
  });

  it('writes repeats of a refused attempt as one entry with their count', async () => {
    const { audit, rows } = fixture();
    for (let time = 0; time < 50; time += 1) audit.record({ ...refused, detail: { missing: 'a role' } });
    await audit.close();
    expect(rows.map(({ detail }) => detail)).toEqual([
      { missing: 'a role' },
      { missing: 'a role', repeated: 49, since: '1970-01-01T00:00:01.000Z' },
    ]);
  });

  it('retries entries that the database rejected, in their order', async () => {
    const { audit, rows, errors } = fixture(2);
    audit.record({ ...done, target: 'a' });
    audit.record({ ...done, target: 'b' });
    await expect.poll(() => rows.map(({ target }) => target), { timeout: 4_000 }).toEqual(['a', 'b']);
    expect(errors).toHaveLength(2);
    await audit.close();
  });

  it('writes pending entries when the server stops', async () => {
    const { audit, rows, errors } = fixture(1, 600_000);
    audit.record(done);
    await expect.poll(() => errors, { timeout: 4_000 }).toHaveLength(1);
    expect(rows).toEqual([]);
    await audit.close();
    expect(rows).toHaveLength(1);
  });

  it('truncates long values, never in the middle of a character', async () => {
    const { audit, rows } = fixture();
    const long = `${'x'.repeat(299)}😀${'x'.repeat(1_000)}`;
    audit.record({ ...done, actor: { ...done.actor, name: long }, target: long, address: long, detail: { note: long, count: 3 } });
    await audit.close();
    const [row] = rows;
    expect([row?.actorName.length, row?.target?.length, row?.address?.length]).toEqual([301, 401, 101]);
    expect(row?.actorName.isWellFormed()).toBe(true);
    expect(row?.detail).toMatchObject({ count: 3, note: expect.stringMatching(/^.{500}$/u) });
  });

  it('refuses an invalid cursor', async () => {
    expect(await fixture().audit.list({ limit: 50, cursor: 'x' })).toMatchObject({ ok: false, problem: { code: 'query_invalid' } });
  });
});
