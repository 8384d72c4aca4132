import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureSchema } from '#lib/contract/failure.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { SnapshotMember, SnapshotRecord } from '#lib/contract/snapshot.ts';
import type { SecretRow } from './secret-repository.ts';
import type { NewestSnapshot, Store } from './store.ts';
import type { ToolsetRow } from './toolset-repository.ts';
import { describeCallHistoryContract } from './store-contract-call-history.ts';
import { describeChannelContract, describeRetentionContract } from './store-contract-channels.ts';
import { describeCallContract } from './store-contract-calls.ts';
import { describeSavedCallContract, describeTeamContract } from './store-contract-team.ts';
import {
  countFailedLoads,
  digestOf,
  extension,
  occurrence,
  revision,
  runningCall,
  snapshot,
  writeFailedLoad,
} from './store-contract-samples.ts';

/** A database that a test opens and reopens, as a restarted host does. */
export interface StoreFixture {
  open(): Promise<Store>;
  remove(): Promise<void>;
}

/** The contract of every database behind the store. */
export function describeStoreContract(name: string, create: () => Promise<StoreFixture>): void {
  describe(`${name} as a store`, () => {
    let fixture: StoreFixture;
    let store: Store;

    beforeEach(async () => {
      fixture = await create();
      store = await fixture.open();
    });

    afterEach(async () => {
      await store.close();
      await fixture.remove();
    });

    async function restart(): Promise<void> {
      await store.close();
      store = await fixture.open();
    }

    describeCallContract(() => store, restart);
    describeChannelContract(() => store, restart);
    describeIdempotencyContract(() => store, restart);
    describeCallHistoryContract(() => store, restart);
    describeSavedCallContract(() => store, restart);
    describeTeamContract(() => store, restart);
    describeSecretContract(() => store, restart);
    describeToolsetContract(() => store, restart);
    describeRetentionContract(() => store, restart);

    describe('revisions', () => {
      it('numbers the revisions of each extension from 1 and finds them by content hash', async () => {
        const first = await store.commitSet((writes) =>
          writes.insertRevision(revision({ contentHash: 'h1', trigger: 'edit', actor: 'Ben' })),
        );
        const second = await store.commitSet(
          async (writes) =>
            await writes.insertRevision(
              revision({ contentHash: 'h2', outcome: 'failed', description: null, build: null, runnable: false, failureId: 'f' }),
            ),
        );
        const other = await store.commitSet((writes) => writes.insertRevision(revision({ extension: 'math' })));
        expect([first.revision, second.revision, other.revision]).toEqual([1, 2, 1]);
        await restart();
        expect(await store.revisions.find('weather', 'h2')).toEqual(second);
        expect(await store.revisions.get('weather', 1)).toEqual(first);
        expect(await store.revisions.list('weather')).toEqual([
          { ...second, sources: {} },
          { ...first, sources: {} },
        ]);
        expect(await store.revisions.find('weather', 'h3')).toBeNull();
        expect(await store.revisions.get('math', 2)).toBeNull();
      });

      it('returns the last tried revision, also when an older source returned', async () => {
        expect(await store.revisions.latest('weather')).toBeNull();
        await store.commitSet((writes) => writes.insertRevision(revision()));
        await store.commitSet((writes) => writes.insertRevision(revision()));
        expect((await store.revisions.latest('weather'))?.revision).toBe(2);
        await store.commitSet(
          async (writes) =>
            await writes.updateRevision('weather', 1, {
              outcome: 'failed',
              runnable: false,
              description: null,
              build: null,
              failureId: 'f',
            }),
        );
        expect(await store.revisions.latest('weather')).toMatchObject({
          revision: 1,
          outcome: 'failed',
          runnable: false,
          description: null,
          build: null,
          failureId: 'f',
        });
        await store.commitSet((writes) => writes.updateRevision('weather', 2, { sources: { 'weather/extension.ts': 'fixed' } }));
        expect((await store.revisions.get('weather', 2))?.sources).toEqual({ 'weather/extension.ts': 'fixed' });
        expect((await store.revisions.latest('weather'))?.revision).toBe(2);
        await expect(store.commitSet((writes) => writes.updateRevision('weather', 9, { runnable: true }))).rejects.toThrow('no revision 9');
      });

      it('keeps the newest with their sources, and the serving and the pinned one however old', async () => {
        await store.commitSet(
          async (writes) =>
            await writes.putExtension({
              extension: 'weather',
              disabled: false,
              pinnedRevision: 3,
              revision: 2,
              servingRevision: 2,
              rolledBackFrom: null,
              loadedAt: null,
              keepAlive: false,
            }),
        );
        for (let n = 0; n < LIMITS.revisionsKept + 5; n += 1) await store.commitSet((writes) => writes.insertRevision(revision()));
        const rows = await store.revisions.list('weather');
        expect(rows).toHaveLength(LIMITS.revisionsKept + 5);
        expect(rows.filter((row) => !row.runnable).map((row) => row.revision)).toEqual([5, 4, 1]);
        expect((await store.revisions.get('weather', 1))?.sources).toEqual({});
        for (const kept of [2, 3, 6]) expect((await store.revisions.get('weather', kept))?.sources).not.toEqual({});
      });
    });

    it('stores settings per extension', async () => {
      const row = extension({ rolledBackFrom: 2, loadedAt: '2026-03-01T12:00:00.000Z' });
      await store.commitSet((writes) => writes.putExtension(row));
      await store.commitSet((writes) => writes.putExtension({ ...row, extension: 'math' }));
      await store.commitSet((writes) =>
        writes.putExtension({ ...row, disabled: true, pinnedRevision: 1, servingRevision: null, loadedAt: null }),
      );
      await restart();
      expect(await store.extensions.get('math')).toEqual({ ...row, extension: 'math' });
      expect(await store.extensions.get('mat')).toBeNull();
      expect(await store.extensions.all()).toEqual([
        { ...row, extension: 'math' },
        { ...row, disabled: true, pinnedRevision: 1, servingRevision: null, loadedAt: null },
      ]);
    });

    describe('failures', () => {
      it('counts the same fault of the same revision and starts a record for another revision, in one group', async () => {
        const first = await store.commitSet((writes) => writes.recordFailure(occurrence()));
        expect(failureSchema.parse(first)).toEqual(first);
        const again = await store.commitSet((writes) =>
          writes.recordFailure(occurrence({ line: 9, seenAt: '2026-03-01T13:00:00.000Z', snapshotVersion: 5 })),
        );
        expect(again).toEqual({ ...first, line: 9, last_seen: '2026-03-01T13:00:00.000Z', snapshot_version: 5, count: 2 });
        const next = await store.commitSet((writes) => writes.recordFailure(occurrence({ revision: 2 })));
        expect(next).toMatchObject({ group_id: first.group_id, count: 1, revision: 2 });
        expect(next.id).not.toBe(first.id);
        await restart();
        expect(await store.failures.get(first.id)).toEqual(again);
        expect(await store.failures.list('weather', 10)).toEqual([next, again]);
        expect(await store.failures.list('weather', 1)).toEqual([next]);
        expect(await store.failures.get('nothing')).toBeNull();
      });

      it('makes a group for each fingerprint and each extension', async () => {
        const groups = await Promise.all(
          [occurrence(), occurrence({ fingerprint: 'f2' }), occurrence({ extension: 'math' })].map(
            async (each) => (await store.commitSet((writes) => writes.recordFailure(each))).group_id,
          ),
        );
        expect(new Set(groups).size).toBe(3);
      });

      it('counts a fault without a revision', async () => {
        await store.commitSet((writes) => writes.recordFailure(occurrence({ revision: null })));
        expect(await store.commitSet((writes) => writes.recordFailure(occurrence({ revision: null })))).toMatchObject({
          revision: null,
          count: 2,
        });
      });
    });

    it('keeps snapshots with their digest, newest first, by cursor', async () => {
      expect(await store.snapshots.latest()).toBeNull();
      for (const version of [1, 2, 3]) await store.commitSet((writes) => writes.insertSnapshot(snapshot(version), digestOf(version), null));
      await expect(store.commitSet((writes) => writes.insertSnapshot(snapshot(3), digestOf(9), null))).rejects.toThrow(/unique/i);
      await restart();
      expect(await store.snapshots.latest()).toEqual({ record: snapshot(3), digest: digestOf(3) });
      expect(await store.snapshots.get(2)).toEqual(snapshot(2));
      expect(await store.snapshots.get(4)).toBeNull();
      const first = await store.snapshots.list({ limit: 2 });
      expect(first?.snapshots.map((each) => each.version)).toEqual([3, 2]);
      const short = await store.snapshots.list({ limit: 2, changes_only: 'true' });
      expect(short).toEqual({ ...first, snapshots: first?.snapshots.map((snapshot) => ({ ...snapshot, extensions: [] })) });
      expect(await store.snapshots.latestVersion()).toBe(first?.snapshots[0]?.version);
      const second = await store.snapshots.list({ limit: 2, cursor: first?.next_cursor ?? '' });
      expect(second).toEqual({ snapshots: [snapshot(1)], next_cursor: null });
      expect(await store.snapshots.list({ limit: 2, cursor: 'foreign' })).toBeNull();

      const none = { added: [], changed: [], removed: [], failed: [], recovered: [], tools_added: ['math'], tools_removed: [] };
      await store.commitSet((writes) =>
        writes.insertSnapshot(snapshot(4, { changes: { ...none, removed: ['weather'] } }), digestOf(4), null),
      );
      await store.commitSet((writes) => writes.insertSnapshot(snapshot(5, { changes: { ...none, failed: ['math'] } }), digestOf(5), null));
      const versionsOf = async (extension: string, limit = 10) =>
        (await store.snapshots.list({ limit, extension }))?.snapshots.map((each) => each.version);
      expect(await versionsOf('weather')).toEqual([4, 3, 2, 1]);
      expect(await versionsOf('weather', 1)).toEqual([4]);
      expect(await versionsOf('math')).toEqual([5]);
      expect(await versionsOf('4')).toEqual([]);
    });

    it('reads each snapshot as it was written, stored completely or as a difference', async () => {
      const written: SnapshotRecord[] = [];
      let previous: NewestSnapshot | null = null;
      const set = new Map<string, SnapshotMember>();
      for (let version = 1; version <= 230; version += 1) {
        const id = `e${version % 7}`;
        if (version % 11 === 0) set.delete(id);
        else
          set.set(id, { id, state: 'ready', revision: version, serving_revision: version, pinned_revision: null, tools: [`${id}_tool`] });
        const extensions = [...set.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
        const digest = new Map(extensions.map((member) => [member.id, JSON.stringify([member.id, member.state, member.revision])]));
        const record = snapshot(version, { extensions });
        const before: NewestSnapshot | null = previous;
        const differing = version % 2 === 0 ? null : new Set([id]);
        // Without the previous one, as after a version of another server: stored in full.
        await store.commitSet((writes) => writes.insertSnapshot(record, digest, version % 50 === 0 ? null : before, differing));
        previous = { record, digest };
        written.push(record);
      }
      await restart();
      expect(await store.snapshots.latest()).toEqual(previous);
      for (const version of [1, 2, 99, 100, 101, 149, 150, 229]) expect(await store.snapshots.get(version)).toEqual(written[version - 1]);
      const newest = await store.snapshots.list({ limit: 200 });
      expect(newest?.snapshots).toEqual(written.slice(30).toReversed());
      // An extension is read once for all versions in which it is the same, and once more after a version in full.
      const members = newest?.snapshots.flatMap(({ extensions }) => extensions) ?? [];
      expect(new Set(members).size).toBeLessThan(200 + 7 * 7);
      const rest = await store.snapshots.list({ limit: 200, cursor: newest?.next_cursor ?? '' });
      expect(rest?.snapshots).toEqual(written.slice(0, 30).toReversed());
      const removeOld = () => store.retention.snapshots({ keepNewest: 60, before: 0, most: 33 });
      while ((await removeOld()).count > 0);
      expect(await store.snapshots.get(170)).toBeNull();
      expect((await store.snapshots.list({ limit: 200 }))?.snapshots).toEqual(written.slice(170).toReversed());
      expect(await store.snapshots.latest()).toEqual(previous);
      const next = snapshot(231, { extensions: [] });
      await store.commitSet((writes) => writes.insertSnapshot(next, new Map(), previous));
      expect(await store.snapshots.get(231)).toEqual(next);
      expect(await store.snapshots.get(230)).toEqual(previous?.record);
    });

    it('stores all writes of one change, or none', async () => {
      await store.commitSet((writes) => writeFailedLoad(writes, () => undefined));
      for (let cut = 1; cut <= 5; cut += 1) {
        let written = 0;
        const between = (): void => {
          written += 1;
          if (written === cut) throw new Error(`cut after ${cut}`);
        };
        await expect(store.commitSet((writes) => writeFailedLoad(writes, between))).rejects.toThrow(`cut after ${cut}`);
        expect(await countFailedLoads(store)).toEqual([1, 1, 1, 1, 1]);
      }
      await store.commitSet((writes) => writeFailedLoad(writes, () => undefined));
      await restart();
      expect(await countFailedLoads(store)).toEqual([2, 2, 2, 2, 2]);
    });

    it('never reuses an event id, and continues after a clean stop', async () => {
      const first = await store.reserveEventIds(100);
      expect(await store.reserveEventIds(10)).toBe(first + 100);
      await restart();
      const afterStop = await store.reserveEventIds(5);
      expect(afterStop).toBeGreaterThanOrEqual(first + 110);
      await store.releaseEventIds(afterStop + 3, afterStop + 5);
      await restart();
      expect(await store.reserveEventIds(1)).toBe(afterStop + 3);
    });

    it('reports that writing works, and refuses writes after close', async () => {
      expect(store.health()).toEqual({ ok: true, reason: null });
      const last = store.calls.insertRunning(runningCall());
      await store.close();
      await last;
      await expect(store.calls.insertRunning(runningCall())).rejects.toMatchObject({ code: 'storage_unavailable' });
    });
  });
}

/** The store contract for keys of repeated requests. */
function describeIdempotencyContract(store: () => Store, restart: () => Promise<void>): void {
  describe('keys of repeated requests', () => {
    const row = { key: 'k', requestHash: 'h', callId: 'c', createdAt: 1_000, instance: 'one' };

    it('survive a restart, until they are too old', async () => {
      await store().idempotency.put(row, null);
      await restart();
      expect(await store().idempotency.get('k')).toEqual(row);
      expect(await store().idempotency.get('K')).toBeNull();
    });

    it('are replaced', async () => {
      await store().idempotency.put(row, null);
      await store().idempotency.put({ ...row, requestHash: 'h2', callId: 'c2', createdAt: 2_000, instance: 'two' }, 'c');
      expect(await store().idempotency.get('k')).toEqual({
        key: 'k',
        requestHash: 'h2',
        callId: 'c2',
        createdAt: 2_000,
        instance: 'two',
      });
    });

    it('belong to the first of two requests', async () => {
      const puts = [row, { ...row, callId: 'c2' }].map((one) => store().idempotency.put(one, null));
      expect((await Promise.all(puts)).filter((isStored) => isStored)).toEqual([true]);
      expect(await store().idempotency.put({ ...row, callId: 'c3' }, 'another')).toBe(false);
    });

    it('are removed by age', async () => {
      for (let at = 1; at <= 5; at += 1) await store().idempotency.put({ ...row, key: `k${at}`, createdAt: at }, null);
      expect([await store().idempotency.count(), await store().idempotency.oldest()]).toEqual([5, 1]);
      expect(await store().idempotency.sweep(3)).toBe(2);
      const kept = await Promise.all([1, 2, 3, 4, 5].map((at) => store().idempotency.get(`k${at}`)));
      expect(kept.map((each) => each !== null)).toEqual([false, false, true, true, true]);
      expect([await store().idempotency.count(), await store().idempotency.oldest()]).toEqual([3, 3]);
      expect(await store().idempotency.sweep(3)).toBe(0);
    });

    it('are removed, unless they belong to another call now', async () => {
      await store().idempotency.put(row, null);
      await store().idempotency.remove('k', 'another');
      expect(await store().idempotency.get('k')).toEqual(row);
      await store().idempotency.remove('k', 'c');
      expect([await store().idempotency.get('k'), await store().idempotency.count(), await store().idempotency.oldest()]).toEqual([
        null,
        0,
        null,
      ]);
    });
  });
}

const SECRET: SecretRow = { name: 'API_KEY', sealed: 'v1.k.one', updatedAt: '2026-11-26T10:00:00.000Z', updatedBy: 'Ada' };

/** The store contract for secrets. */
function describeSecretContract(store: () => Store, restart: () => Promise<void>): void {
  describe('secrets', () => {
    it('survive a restart, by name, and are replaced', async () => {
      expect(await store().secrets.put(SECRET, 10)).toBe('stored');
      expect(await store().secrets.put({ ...SECRET, name: 'A', updatedBy: null }, 10)).toBe('stored');
      await restart();
      expect(await store().secrets.list()).toEqual([{ ...SECRET, name: 'A', updatedBy: null }, SECRET]);
      expect(await store().secrets.put({ ...SECRET, sealed: 'v1.k.two' }, 2)).toBe('stored');
      expect((await store().secrets.list()).map(({ sealed }) => sealed)).toEqual(['v1.k.one', 'v1.k.two']);
    });

    it('are refused above the limit', async () => {
      await store().secrets.put(SECRET, 1);
      expect(await store().secrets.put({ ...SECRET, name: 'B' }, 1)).toBe('full');
      expect(await store().secrets.list()).toHaveLength(1);
    });

    it('are encrypted again only while unchanged', async () => {
      await store().secrets.put(SECRET, 10);
      await store().secrets.seal('API_KEY', 'v1.k.other', 'v1.new.lost');
      expect(await store().secrets.list()).toEqual([SECRET]);
      await store().secrets.seal('API_KEY', SECRET.sealed, 'v1.new.one');
      expect(await store().secrets.list()).toEqual([{ ...SECRET, sealed: 'v1.new.one' }]);
    });

    it('are removed once', async () => {
      await store().secrets.put(SECRET, 10);
      expect(await store().secrets.remove('API_KEY')).toBe(true);
      expect(await store().secrets.remove('API_KEY')).toBe(false);
      expect(await store().secrets.list()).toEqual([]);
    });
  });
}

const TOOLSET: ToolsetRow = {
  name: 'support',
  title: 'Support',
  instructions: 'Be kind.',
  tools: [{ tool: 'get_weather', name: 'weather', hidden_arguments: ['days'], fixed_arguments: { city: 'Oslo', deep: [1, null] } }],
  members: ['ada'],
  updatedAt: '2026-11-26T10:00:00.000Z',
  updatedBy: 'Ada',
};

/** The store contract for toolsets. */
function describeToolsetContract(store: () => Store, restart: () => Promise<void>): void {
  describe('toolsets', () => {
    it('survive a restart, by name, and are replaced', async () => {
      expect(await store().toolsets.put(TOOLSET, 10)).toBe('stored');
      expect(await store().toolsets.put({ ...TOOLSET, name: 'a', tools: [], members: null, updatedBy: null }, 10)).toBe('stored');
      await restart();
      expect(await store().toolsets.list()).toEqual([{ ...TOOLSET, name: 'a', tools: [], members: null, updatedBy: null }, TOOLSET]);
      expect(await store().toolsets.put({ ...TOOLSET, title: 'Other' }, 2)).toBe('stored');
      expect((await store().toolsets.list()).map(({ title }) => title)).toEqual(['Support', 'Other']);
    });

    it('are refused above the limit, and removed once', async () => {
      await store().toolsets.put(TOOLSET, 1);
      expect(await store().toolsets.put({ ...TOOLSET, name: 'b' }, 1)).toBe('full');
      expect(await store().toolsets.remove('support')).toBe(true);
      expect(await store().toolsets.remove('support')).toBe(false);
      expect(await store().toolsets.list()).toEqual([]);
    });
  });
}
