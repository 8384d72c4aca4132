import { randomUUIDv7 } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Message, messageSchema } from '#lib/contract/channel.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { messageRecord } from '#lib/testing/api-records.ts';
import { digestOf, extension, occurrence, revision, snapshot, START } from './store-contract-samples.ts';
import type { Store } from './store.ts';

function message(change: Partial<Message> = {}): Message {
  return messageRecord(randomUUIDv7(), 'hello', { channel: 'web', sender: 'Ada', created_at: new Date(START).toISOString(), ...change });
}

const queued = (recipient: string | null, change: Partial<Message> = {}): Message =>
  message({ direction: 'out', state: 'queued', recipient, ...change });

/** The store contract for channels. */
export function describeChannelContract(current: () => Store, restart: () => Promise<void>): void {
  async function put(...messages: readonly Message[]): Promise<void> {
    for (const each of messages) expect(await current().channels.insert(each)).toBe(true);
  }

  describe('channels', () => {
    it('returns a message as it was written, after a restart', async () => {
      const written = message({ text: 'a\u0000b “ü”', metadata: { chat_id: 7, nested: { deep: [null] } }, injected: true, error: 'cut' });
      await put(written);
      await restart();
      expect(messageSchema.parse(await current().channels.get(written.id))).toEqual(written);
      expect(await current().channels.get('nothing')).toBeNull();
      expect(await current().channels.hasMessages('web')).toBe(true);
      expect(await current().channels.hasMessages('other')).toBe(false);
    });

    it('lists the messages of one channel in pages, newest first, and refuses a foreign cursor', async () => {
      const all = [1, 2, 3].map((number) => message({ text: `number ${number}` }));
      await put(...all, message({ channel: 'other' }));
      const first = await current().channels.list('web', { limit: 2 });
      expect(first?.messages.map(({ text }) => text)).toEqual(['number 3', 'number 2']);
      await put(message({ text: 'arrived in between' }));
      expect(await current().channels.list('web', { limit: 2, cursor: first?.next_cursor ?? '' })).toEqual({
        messages: [all[0]],
        next_cursor: null,
      });
      expect(await current().channels.list('web', { limit: 2, cursor: 'foreign' })).toBeNull();
      expect(await current().channels.list('nowhere', { limit: 2 })).toEqual({ messages: [], next_cursor: null });
    });

    it('returns messages to send in order, without waiting recipients', async () => {
      const [toAda, toBob, toNobody, toAdaAgain] = [queued('Ada'), queued('Bob'), queued(null), queued('Ada')];
      await put(toAda, toBob, toNobody, toAdaAgain, message(), queued('Ada', { channel: 'other' }));
      await restart();
      const { nextQueued } = current().channels;
      expect(await nextQueued('web', [])).toEqual(toAda);
      expect(await nextQueued('web', ['Ada'])).toEqual(toBob);
      expect(await nextQueued('web', ['Ada', 'Bob'])).toEqual(toNobody);
      expect(await nextQueued('web', ['Ada', 'Bob', null])).toBeNull();
      expect(await nextQueued('web', [null])).toEqual(toAda);
    });

    it('counts attempts, keeps a dead letter, and queues it again at the end', async () => {
      const [first, second] = [queued('Ada'), queued('Ada')];
      await put(first, second);
      const { channels } = current();
      await channels.beginSend(first.id);
      expect(await channels.endSend(first.id, { state: 'queued', error: 'refused', inDoubt: false })).toMatchObject({
        attempts: 1,
        error: 'refused',
        state: 'queued',
      });
      expect(await channels.queueAgain(first.id)).toBe('not_failed');
      await channels.beginSend(first.id);
      await channels.endSend(first.id, { state: 'failed', error: 'refused again', inDoubt: false });
      expect(await channels.counts('web')).toEqual({ queued: 1, failed: 1, lastMessageAt: '2026-03-01T12:00:00.000Z' });
      expect((await channels.nextQueued('web', []))?.id).toBe(second.id);
      expect(await channels.queueAgain(first.id)).toBe('queued');
      expect((await channels.nextQueued('web', []))?.id).toBe(second.id);
      await channels.beginSend(second.id);
      await channels.endSend(second.id, { state: 'sent', error: null, inDoubt: false });
      expect(await channels.nextQueued('web', [])).toMatchObject({ id: first.id, attempts: 0, error: null });
      expect(await channels.counts('web')).toMatchObject({ queued: 1, failed: 0 });
    });

    it('limits queued messages, on insert and on resend', async () => {
      await Promise.all(Array.from({ length: LIMITS.messagesQueued }, () => put(queued('Ada'))));
      const dead = queued('Ada', { state: 'failed' });
      expect(await current().channels.insert(queued('Ada'))).toBe(false);
      await put(dead, message());
      expect(await current().channels.queueAgain(dead.id)).toBe('full');
      expect(await current().channels.counts('web')).toMatchObject({ queued: LIMITS.messagesQueued, failed: 1 });
    });

    it('marks a message interrupted by a stop as possibly sent, also when it is sent again', async () => {
      const [cut, waiting] = [queued('Ada'), queued('Ada')];
      await put(cut, waiting);
      await current().channels.beginSend(cut.id);
      await restart();
      expect(await current().channels.markInterrupted('web')).toBe(1);
      expect(await current().channels.markInterrupted('web')).toBe(0);
      expect(await current().channels.get(cut.id)).toMatchObject({
        state: 'queued',
        attempts: 1,
        error: expect.stringContaining('may have been sent'),
      });
      expect((await current().channels.get(waiting.id))?.error).toBeNull();
      expect((await current().channels.nextQueued('web', []))?.id).toBe(cut.id);
      await current().channels.beginSend(cut.id);
      expect(await current().channels.endSend(cut.id, { state: 'sent', error: null, inDoubt: false })).toMatchObject({
        state: 'sent',
        error: expect.stringContaining('sent twice'),
      });
    });

    it('marks only messages of the channel as interrupted', async () => {
      const [mine, other] = [queued('Ada'), queued('Ada', { channel: 'other' })];
      await put(mine, other);
      for (const { id } of [mine, other]) await current().channels.beginSend(id);
      expect(await current().channels.markInterrupted('web')).toBe(1);
      expect((await current().channels.get(other.id))?.error).toBeNull();
    });

    it('lists commands until a reply to them is stored', async () => {
      const [first, second, text] = [message({ text: '/one' }), message({ text: '/two' }), message()];
      const { channels } = current();
      for (const each of [first, second]) await channels.insert(each, { isCommand: true, idempotencyKey: null });
      await put(text, message({ channel: 'other', text: '/one' }));
      await restart();
      expect(await current().channels.unanswered('web')).toEqual([first, second]);
      await put(queued('Ada', { reply_to: first.id }));
      expect(await current().channels.unanswered('web')).toEqual([second]);
    });

    it('stores a message once by its key, and once when the write is repeated', async () => {
      const { channels } = current();
      const [first, again] = [message({ text: '/one' }), message({ text: '/one' })];
      const facts = { isCommand: true, idempotencyKey: 'update 7' };
      expect(await channels.insert(first, facts)).toBe(true);
      expect(await channels.insert(first, facts)).toBe(true);
      expect(await channels.insert(again, facts)).toBe(false);
      const other = message({ channel: 'other' });
      expect(await channels.insert(other, facts)).toBe(true);
      await put(other);
      await restart();
      expect(await current().channels.list('web', { limit: 5 })).toEqual({ messages: [first], next_cursor: null });
      expect((await current().channels.list('other', { limit: 5 }))?.messages).toEqual([other]);
    });

    it('refuses writes of an owner whose lease another instance took', async () => {
      const { channels, shared } = current();
      const name = 'channel:web';
      const [waiting, arrived] = [queued('Ada'), message()];
      await put(waiting);
      const old = await shared?.instances.lease(name, 'first', 0);
      const writes = channels.underLease({ name, epoch: old?.epoch ?? 1 });
      expect(await writes.insert(arrived)).toBe(true);
      await writes.beginSend(waiting.id);
      if (shared === null) return;
      await expect.poll(() => shared.instances.lease(name, 'second', 60_000)).toEqual({ name, epoch: 2 });
      const refusals = [
        () => writes.insert(message()),
        () => writes.beginSend(waiting.id),
        () => writes.endSend(waiting.id, { state: 'sent', error: null, inDoubt: false }),
        () => writes.noteCommand(arrived.id, 'a call', null),
        () => writes.markInterrupted('web'),
      ];
      for (const refused of refusals) await expect(refused()).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await channels.get(waiting.id)).toMatchObject({ state: 'queued', attempts: 1 });
      expect(await channels.underLease({ name, epoch: 2 }).markInterrupted('web')).toBe(1);
      await shared.instances.release(name, 'second');
      await expect(channels.underLease({ name, epoch: 2 }).insert(message())).rejects.toMatchObject({ code: 'lease_lost' });
    });

    it('finds the latest inbound message of a sender, and stores the call of a command', async () => {
      const [early, late] = [message({ text: 'early' }), message({ text: 'late' })];
      await put(early, late, message({ sender: 'Bob' }), message({ direction: 'out', state: 'sent' }));
      expect((await current().channels.lastFrom('web', 'Ada'))?.text).toBe('late');
      expect(await current().channels.lastFrom('web', 'Eve')).toBeNull();
      await current().channels.noteCommand(early.id, 'call 1', null);
      await current().channels.noteCommand(late.id, null, 'no such tool');
      expect(await current().channels.get(early.id)).toMatchObject({ call_id: 'call 1', error: null });
      expect(await current().channels.get(late.id)).toMatchObject({ call_id: null, error: 'no such tool' });
    });

    it('stores settings', async () => {
      expect(await current().channels.commands()).toEqual(new Map());
      await current().channels.putCommands('web', { enabled: true, tools: ['*'] });
      await current().channels.putCommands('web', { enabled: false, tools: ['echo'] });
      await restart();
      expect(await current().channels.commands()).toEqual(new Map([['web', { enabled: false, tools: ['echo'] }]]));
    });
  });
}

const HOUR = 3_600_000;
const timeOf = (at: number): string => new Date(START + at * HOUR).toISOString();
const NEVER = 0;

function oldMessage(at: number, change: Partial<Message> = {}): Message {
  return message({ text: `message ${at}`, created_at: timeOf(at), ...change });
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
        await store().channels.insert(oldMessage(at));
        await store().channels.insert(oldMessage(at, { channel: 'telegram' }));
      }
      const out = { direction: 'out', channel: 'telegram' } as const;
      await store().channels.insert(oldMessage(6, { ...out, state: 'queued' }));
      await store().channels.insert(oldMessage(6, { ...out, state: 'failed', text: 'lost' }));
      await removeAll(() => store().retention.messages({ keepNewest: 3, before: NEVER, most: 2 }));
      expect(await texts('web')).toEqual(['message 5', 'message 4', 'message 3']);
      expect(await texts('telegram')).toEqual(['lost', 'message 6', 'message 5']);
      await removeAll(() => store().retention.messages({ keepNewest: 3, before: START + 99 * HOUR, most: 2 }));
      expect(await texts('web')).toEqual([]);
      expect(await texts('telegram')).toEqual(['lost', 'message 6']);
    });
  });
}
