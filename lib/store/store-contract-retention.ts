import { randomUUIDv7 } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Message } from '#lib/contract/channel.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { messageRecord } from '#lib/testing/api-records.ts';
import type { Store } from './store.ts';
import { digestOf, extension, occurrence, revision, snapshot, START } from './store-contract-samples.ts';

const HOUR = 3_600_000;
const timeOf = (at: number): string => new Date(START + at * HOUR).toISOString();
const NEVER = 0;

function message(at: number, change: Partial<Message> = {}): Message {
  return messageRecord(randomUUIDv7(), `message ${at}`, { channel: 'web', created_at: timeOf(at), ...change });
}

export function describeRetentionContract(store: () => Store, restart: () => Promise<void>): void {
  describe('retention', () => {
    const act = { actor: 'Ada', at: timeOf(9) };
    const texts = async (channel: string): Promise<readonly string[]> =>
      (await store().channels.list(channel, { limit: 50 }))?.messages.map(({ text }) => text) ?? [];
    const versions = async (filter: { readonly extension?: string } = {}): Promise<readonly number[]> =>
      (await store().snapshots.list({ limit: 50, ...filter }))?.snapshots.map(({ version }) => version) ?? [];
    const revisions = async (): Promise<readonly number[]> => (await store().revisions.list('weather')).map((row) => row.revision);

    async function removeAll(work: () => Promise<{ readonly count: number }>): Promise<readonly number[]> {
      const counts: number[] = [];
      do counts.push((await work()).count);
      while (counts.at(-1) !== 0);
      return counts;
    }

    it('removes the oldest snapshots, never the newest, and pages those of one extension', async () => {
      const changes = snapshot(1).changes;
      for (let at = 1; at <= 9; at += 1)
        await store().commitSet(
          async (writes) =>
            await writes.insertSnapshot(
              snapshot(at, { created_at: timeOf(at), changes: { ...changes, added: [at % 2 === 0 ? 'even' : 'odd'] } }),
              digestOf(at),
              null,
            ),
        );
      expect(await removeAll(() => store().retention.snapshots({ keepNewest: 6, before: NEVER, most: 2 }))).toEqual([2, 1, 0]);
      expect(await versions()).toEqual([9, 8, 7, 6, 5, 4]);
      expect(await removeAll(() => store().retention.snapshots({ keepNewest: 6, before: START + 6 * HOUR, most: 1 }))).toEqual([1, 1, 0]);
      await restart();
      expect(await versions({ extension: 'odd' })).toEqual([9, 7]);
      expect(await versions({ extension: 'even' })).toEqual([8, 6]);
      await store().retention.snapshots({ keepNewest: 1, before: START + 99 * HOUR, most: 9 });
      expect(await versions()).toEqual([9]);
      expect((await store().snapshots.latest())?.record.version).toBe(9);
    });

    it('removes revisions that cannot be restored, and keeps the listed ones', async () => {
      const total = LIMITS.revisionsKept + 10;
      for (let at = 1; at <= total; at += 1)
        await store().commitSet(async (writes) => {
          await writes.insertRevision(revision({ createdAt: timeOf(at), runnable: at === total, outcome: at === 9 ? 'loaded' : 'failed' }));
          if (at === total) await writes.putExtension(extension({ revision: 5, servingRevision: 2, pinnedRevision: 3, rolledBackFrom: 4 }));
        });
      await store().commitSet((writes) => writes.updateRevision('weather', 6, { failureId: 'f' }));
      expect(await removeAll(() => store().retention.revisions({ keepNewest: 15, before: NEVER, most: 4 }))).toEqual([4, 4, 1, 0]);
      const named = [9, 6, 5, 4, 3, 2];
      expect((await revisions()).filter((each) => each <= total - 15)).toEqual(named);
      await store().retention.revisions({ keepNewest: 15, before: START + 999 * HOUR, most: 99 });
      expect(await revisions()).toEqual([total, ...named]);
      const next = await store().commitSet((writes) => writes.insertRevision(revision()));
      expect(next.revision).toBe(total + 1);
    });

    it('removes old occurrences, and keeps the newest, the counts and the times of their group', async () => {
      const fail = (number: number, at: number) =>
        store().commitSet((writes) => writes.recordFailure(occurrence({ revision: number, seenAt: timeOf(at), snapshotVersion: at })));
      const { group_id: id } = await fail(1, 1);
      for (const at of [2, 3, 4]) await fail(at, at);
      expect(await removeAll(() => store().retention.failures({ before: START + 99 * HOUR, most: 2 }))).toEqual([2, 1, 0]);
      const group = () => store().failureGroups.get(id, new Date(START));
      const totals = { count: 4, first_seen: timeOf(1), last_seen: timeOf(4), first_version: 1, last_version: 4 };
      expect(await group()).toMatchObject({ ...totals, latest: { revision: 4 } });
      await fail(5, 5);
      const other = await store().commitSet((writes) => writes.recordFailure(occurrence({ fingerprint: 'f2', seenAt: timeOf(6) })));
      await store().failureGroups.merge(other.group_id, id, act);
      expect(await group()).toMatchObject({ count: 6, first_seen: timeOf(1), last_seen: timeOf(6) });
      await store().failureGroups.split(id, other.id, act);
      expect(await group()).toMatchObject({ count: 5, first_seen: timeOf(1), last_seen: timeOf(5) });
      expect(await store().failureGroups.get(other.group_id, new Date(START))).toMatchObject({ count: 1, first_seen: timeOf(6) });
    });

    it('limits the occurrences of a group when one is added', async () => {
      for (let at = 0; at <= LIMITS.failureRecordsKept; at += 1)
        await store().commitSet((writes) => writes.recordFailure(occurrence({ revision: at })));
      const kept = await store().failures.list('weather', 999);
      expect(kept).toHaveLength(LIMITS.failureRecordsKept);
      expect(kept.at(-1)?.revision).toBe(1);
    });

    it('removes the oldest messages of each channel, never a queued message or a dead letter', async () => {
      for (let at = 0; at < 6; at += 1) {
        await store().channels.insert(message(at));
        await store().channels.insert(message(at, { channel: 'telegram' }));
      }
      const out = { direction: 'out', channel: 'telegram' } as const;
      await store().channels.insert(message(6, { ...out, state: 'queued' }));
      await store().channels.insert(message(6, { ...out, state: 'failed', text: 'lost' }));
      await removeAll(() => store().retention.messages({ keepNewest: 3, before: NEVER, most: 2 }));
      expect(await texts('web')).toEqual(['message 5', 'message 4', 'message 3']);
      expect(await texts('telegram')).toEqual(['lost', 'message 6', 'message 5']);
      await removeAll(() => store().retention.messages({ keepNewest: 3, before: START + 99 * HOUR, most: 2 }));
      expect(await texts('web')).toEqual([]);
      expect(await texts('telegram')).toEqual(['lost', 'message 6']);
    });
  });
}
