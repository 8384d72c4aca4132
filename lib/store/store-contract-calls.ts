import { describe, expect, it } from 'vitest';
import { type Call, type CallFilter, callSchema } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Store } from './store.ts';
import { START, callEnd, finishedCall, runningCall } from './store-contract-samples.ts';

/** The store contract for calls. `current` is the open store, `restart` closes it and opens it again. */
export function describeCallContract(current: () => Store, restart: () => Promise<void>): void {
  async function page(filter: Partial<CallFilter> = {}): Promise<{ calls: Call[]; next_cursor: string | null }> {
    const found = await current().calls.list({ limit: LIMITS.listDefault, ...filter });
    if (found === null) throw new Error('the cursor was refused');
    return found;
  }

  const found = (questions: readonly string[]) => Promise.all(questions.map(async (q) => [q, await ids({ q })]));
  const ids = async (filter: Partial<CallFilter> = {}) => (await page(filter)).calls.map((call) => call.id);

  describe('calls', () => {
    it('returns a call as it was written, running and finished, after a restart', async () => {
      const row = runningCall({ actor: 'Ada', redacted: ['/token'], replayOf: 'earlier', revision: null });
      await current().calls.insertRunning(row);
      expect(await current().calls.get(row.id)).toMatchObject({ status: 'running', result: null, finished_at: null, duration_ms: null });
      const logs = [{ time: '2026-03-01T12:00:00.000Z', level: 'info', message: 'asked', data: { n: 1 } }] as const;
      await current().calls.finish(
        row.id,
        callEnd({ revision: 3, logs, logsTruncated: true, progress: { done: 1, total: null, message: null } }),
      );
      await restart();
      const call = await current().calls.get(row.id);
      expect(callSchema.parse(call)).toEqual(call);
      expect(call).toEqual({
        id: row.id,
        tool: 'get_weather',
        extension: 'weather',
        revision: 3,
        snapshot_version: 7,
        source: 'api',
        actor: 'Ada',
        arguments: { city: 'Berlin' },
        redacted: ['/token'],
        status: 'succeeded',
        result: { degrees: 12 },
        error: null,
        logs,
        logs_truncated: true,
        progress: { done: 1, total: null, message: null },
        started_at: '2026-03-01T12:00:00.000Z',
        finished_at: '2026-03-01T12:00:00.020Z',
        duration_ms: 12.345,
        replay_of: 'earlier',
        instance: 'one',
      });
      expect((await page()).calls).toEqual([call]);
    });

    it('finds no call with an unknown id', async () => {
      expect(await current().calls.get('nothing')).toBeNull();
      expect(await current().calls.newestId()).toBeNull();
      expect(await page()).toEqual({ calls: [], next_cursor: null });
    });

    it('cuts long arguments and results in lists between characters, and returns them in full for one call', async () => {
      for (let shift = 0; shift < 4; shift += 1) {
        const text = `${'x'.repeat(shift)}${'🚀'.repeat(2_000)}`;
        const argumentsText = JSON.stringify({ text });
        const id = await finishedCall(current(), { argumentsText }, { resultText: JSON.stringify(text) });
        const listed = (await page({ limit: 1 })).calls[0];
        expect(listed).toMatchObject({ id, truncated: true });
        for (const [cut, uncut] of [
          [listed?.arguments, argumentsText],
          [listed?.result, JSON.stringify(text)],
        ] as const) {
          expect(typeof cut).toBe('string');
          expect(uncut.startsWith(String(cut))).toBe(true);
          expect(Buffer.byteLength(String(cut))).toBeGreaterThan(LIMITS.listValueBytes - 4);
          expect(Buffer.byteLength(String(cut))).toBeLessThanOrEqual(LIMITS.listValueBytes);
        }
        const call = await current().calls.get(id);
        expect(call).toMatchObject({ arguments: { text }, result: text });
        expect(call).not.toHaveProperty('truncated');
      }
    });

    it('returns a result that is not JSON as text, and other results unchanged', async () => {
      await finishedCall(current(), {}, { resultText: '{"n":[redacted]7}' });
      await finishedCall(current(), {}, { resultText: '{"n":7}' });
      expect((await page()).calls.map(({ result }) => result)).toEqual([{ n: 7 }, '{"n":[redacted]7}']);
    });

    it('does not cut a value of exactly the limit in lists', async () => {
      const resultText = JSON.stringify('é'.repeat((LIMITS.listValueBytes - 2) / 2));
      await finishedCall(current(), {}, { resultText });
      expect((await page()).calls[0]?.result).toBe(JSON.parse(resultText));
      expect((await page()).calls[0]).not.toHaveProperty('truncated');
    });

    it('returns a large error and long logs in full for one call and short in lists', async () => {
      const logs = Array.from({ length: 100 }, (_, n) => ({
        time: '2026-03-01T12:00:00.000Z',
        level: 'info' as const,
        message: `line ${n}`,
        data: null,
      }));
      const error = { kind: 'execution_error', message: 'It failed.', data: 'd'.repeat(20_000) } as const;
      const id = await finishedCall(current(), {}, { status: 'failed', resultText: null, error, logs });
      expect(await current().calls.get(id)).toMatchObject({ error, logs, logs_truncated: false });
      const listed = (await page()).calls[0];
      expect(listed).toMatchObject({ error: { kind: 'execution_error', message: 'It failed.' }, logs_truncated: true, truncated: true });
      expect(listed?.logs.at(-1)?.message).toBe('line 99');
      expect(JSON.stringify(listed).length).toBeLessThan(4 * LIMITS.listValueBytes);
    });

    it('refuses the end of a call that is not running, and writes the others of the group', async () => {
      const rows = Array.from({ length: 50 }, () => runningCall());
      await Promise.all(rows.map((row) => current().calls.insertRunning(row)));
      const ends = rows.map((row) => current().calls.finish(row.id, callEnd()));
      const stray = current().calls.finish('nothing', callEnd());
      const twice = current().calls.insertRunning(runningCall({ id: rows[0]?.id ?? '' }));
      const results = await Promise.allSettled([...ends, stray, twice]);
      expect(results.map((result) => result.status)).toEqual([...ends.map(() => 'fulfilled'), 'rejected', 'rejected']);
      expect(await ids({ status: ['succeeded'] })).toHaveLength(50);
    });

    it('accepts the same end of a call again, and no different one', async () => {
      const large = callEnd({ resultText: JSON.stringify('x'.repeat(100_000)) });
      for (const end of [callEnd(), large]) {
        const row = runningCall();
        await current().calls.insertRunning(row);
        await current().calls.finish(row.id, end);
        const kept = await current().calls.get(row.id);
        await current().calls.finish(row.id, end);
        await expect(current().calls.finish(row.id, { ...end, durationMs: end.durationMs + 1 })).rejects.toThrow('is not running');
        expect(await current().calls.get(row.id)).toEqual(kept);
      }
    });

    it('keeps the order of arrival, whichever call ends first', async () => {
      const rows = Array.from({ length: 4 }, () => runningCall());
      for (const row of rows) await current().calls.insertRunning(row);
      for (const row of rows.toReversed().slice(1)) await current().calls.finish(row.id, callEnd());
      expect(await ids()).toEqual(rows.map(({ id }) => id).toReversed());
      expect(await current().calls.newestId()).toBe(rows.at(-1)?.id);
    });

    it('stores each of 500 concurrent calls', async () => {
      const made = await Promise.all(Array.from({ length: 500 }, (_, n) => finishedCall(current(), { argumentsText: `{"n":${n}}` })));
      await restart();
      const kept = await Promise.all(made.map((id) => current().calls.get(id)));
      expect(kept.map((call) => call?.status)).toEqual(made.map(() => 'succeeded'));
    });

    it('filters by each field and by all of them together', async () => {
      const wanted = await finishedCall(
        current(),
        { tool: 'a', extension: 'e', source: 'web', actor: 'Ada', instance: 'two' },
        { status: 'cancelled', resultText: null },
      );
      await finishedCall(current(), { tool: 'b', extension: 'f', source: 'cli', actor: 'Bob' });
      const filters: Partial<CallFilter>[] = [
        { tool: 'a' },
        { extension: 'e' },
        { source: 'web' },
        { actor: 'Ada' },
        { status: ['cancelled'] },
        { instance: 'two' },
      ];
      for (const filter of filters) expect(await ids(filter)).toEqual([wanted]);
      expect(await ids({ tool: 'a', extension: 'e', source: 'web', actor: 'Ada', status: ['cancelled'], instance: 'two' })).toEqual([
        wanted,
      ]);
      expect(await ids({ tool: 'a', instance: 'one' })).toEqual([]);
      expect(await ids({ tool: 'a', actor: 'Bob' })).toEqual([]);
    });

    it('treats since as inclusive and until as exclusive, in any time zone', async () => {
      const at = (ms: number) => new Date(START + ms).toISOString();
      const made: string[] = [];
      for (const ms of [0, 1_000, 2_000]) made.unshift(await finishedCall(current(), { startedAt: at(ms) }));
      expect(await ids({ since: at(1_000) })).toEqual(made.slice(0, 2));
      expect(await ids({ until: at(1_000) })).toEqual(made.slice(2));
      expect(await ids({ since: '2026-03-01T14:00:01+02:00', until: at(1_001) })).toEqual(made.slice(1, 2));
    });

    it('pages through 1000 calls, each once, while new calls arrive', async () => {
      const made = await Promise.all(
        Array.from({ length: 1_000 }, (_, n) => finishedCall(current(), { startedAt: new Date(START + Math.floor(n / 10)).toISOString() })),
      );
      for (const filter of [{}, { tool: 'get_weather' }, { q: 'berlin' }]) {
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const next: { calls: Call[]; next_cursor: string | null } = await page({
            ...filter,
            limit: 70,
            ...(cursor === null ? {} : { cursor }),
          });
          seen.push(...next.calls.map((call) => call.id));
          cursor = next.next_cursor;
          await finishedCall(current(), { startedAt: new Date(START + 5_000).toISOString() });
        } while (cursor !== null);
        const old = seen.filter((id) => made.includes(id));
        expect(new Set(seen).size).toBe(seen.length);
        expect(old.toSorted()).toEqual(made.toSorted());
        const times = old.map((id) => made.indexOf(id));
        expect(times).toEqual(times.toSorted((left, right) => right - left));
      }
    });

    it('refuses foreign cursors', async () => {
      await finishedCall(current());
      await finishedCall(current());
      const given = (await page({ limit: 1 })).next_cursor ?? '';
      const found = (await page({ limit: 1, q: 'berlin' })).next_cursor ?? '';
      for (const cursor of [
        '',
        'x',
        '%%%',
        `${given}x`,
        found,
        Buffer.from('calls.1').toString('base64url'),
        Buffer.from('calls.1.-1').toString('base64url'),
      ]) {
        expect(await current().calls.list({ limit: 1, cursor })).toBeNull();
      }
      expect(await current().calls.list({ limit: 1, q: 'berlin', cursor: given })).toBeNull();
    });

    it('fails the calls that a stop of the host interrupted, and only those', async () => {
      const ended = await finishedCall(current());
      const row = runningCall();
      await current().calls.insertRunning(row);
      await restart();
      expect(await current().calls.closeInterrupted()).toBe(1);
      expect(await current().calls.closeInterrupted()).toBe(0);
      expect(await current().calls.get(row.id)).toMatchObject({
        status: 'failed',
        error: { kind: 'extension_crashed', data: { reason: 'server_stopped' } },
      });
      expect((await current().calls.get(row.id))?.finished_at).not.toBeNull();
      expect((await current().calls.get(ended))?.status).toBe('succeeded');
      expect(await ids({ status: ['running'] })).toEqual([]);
    });
  });

  describe('search', () => {
    it('finds text anywhere within a run of letters of scripts without spaces between words', async () => {
      const texts = {
        chinese: '今天天气很好,学Node入门,2026年1月',
        japanese: '東京タワーへ行きました。サーバーが落ちた',
        korean: '동서울역에서 만나요',
        thai: 'วันนี้อากาศดีมาก ไม่มีฝน',
        rare: 'x𠮷野家y',
        variant: '葛\u{e0100}城市',
        water: 'ขอน้ำเย็น',
        led: 'นำทางไปที่,มา',
        parted: '晴れ。のち雨,月曜',
      };
      const of: Record<string, string> = {};
      for (const [name, text] of Object.entries(texts))
        of[name] = await finishedCall(current(), { argumentsText: JSON.stringify({ text }) }, { resultText: '{}' });
      const finding: readonly (readonly [string, string])[] = [
        ['天气', 'chinese'],
        ['气很', 'chinese'],
        ['今天', 'chinese'],
        ['很好 天气', 'chinese'],
        ['入门', 'chinese'],
        ['node', 'chinese'],
        ['学node入', 'chinese'],
        ['nod', 'chinese'],
        ['1月', 'chinese'],
        ['年1月', 'chinese'],
        ['タワー', 'japanese'],
        ['ました', 'japanese'],
        ['か\u3099落ち', 'japanese'],
        ['서울', 'korean'],
        ['역에서 만나', 'korean'],
        ['อากาศ', 'thai'],
        ['ไม่มี', 'thai'],
        ['𠮷野', 'rare'],
        ['葛城', 'variant'],
        ['葛\u{e0100}城', 'variant'],
        ['น้ำ', 'water'],
        ['นำ', 'led'],
        ['れ。のち', 'parted'],
        ['曜', 'parted'],
      ];
      expect(await found(finding.map(([q]) => q))).toEqual(finding.map(([q, name]) => [q, [of[name]]]));
      const missing = ['气天', '天很', '東京へ', 'ไม้มี', '울서', '野𠮷', 'れの', '雨月', 'ที่มา', 'ode'];
      expect(await found(missing)).toEqual(missing.map((q) => [q, []]));
    });

    it('finds words of tool, arguments, result, error and logs, by prefix, in any case, all of them', async () => {
      const error = { kind: 'execution_error', message: 'Volcano erupted' } as const;
      const logs = [{ time: '2026-03-01T12:00:00.000Z', level: 'info' as const, message: 'tried\nMirror', data: { time: 'noon' } }];
      const id = await finishedCall(
        current(),
        { tool: 'count_kittens', argumentsText: '{"place":"Köln","note":"z\\u00fcrich"}' },
        { status: 'failed', resultText: '{"found":"Purple"}', error, logs },
      );
      await finishedCall(current());
      const finding = [
        'count_kittens',
        'kitt',
        'KÖLN',
        'koln',
        'zürich',
        'purp',
        'volc erup',
        'mirror',
        'erup kittens purple',
        ' "Purple" ',
        'kitt*',
        'execution_error noon info',
      ];
      expect(await found(finding)).toEqual(finding.map((q) => [q, [id]]));
      const missing = ['volcano berlin', 'itten', 'kittens_count', 'purples', '2026', 'level', 'message'];
      expect(await found(missing)).toEqual(missing.map((q) => [q, []]));
      expect(await ids({ q: 'purple', tool: 'get_weather' })).toEqual([]);
    });

    it('finds a call while it runs, and its result right after its end', async () => {
      const row = runningCall({ argumentsText: '{"city":"Quito"}' });
      await current().calls.insertRunning(row);
      expect(await ids({ q: 'quito' })).toEqual([row.id]);
      await current().calls.finish(row.id, callEnd({ resultText: '"drizzle"' }));
      expect(await ids({ q: 'drizzle quito' })).toEqual([row.id]);
    });

    it('finds all written calls after a restart, indexed or not, ended or interrupted', async () => {
      const early = await finishedCall(current(), { argumentsText: '{"city":"Lima"}' });
      const indexed = runningCall({ argumentsText: '{"city":"Oslo"}' });
      await current().calls.insertRunning(indexed);
      expect(await ids({ q: 'oslo' })).toEqual([indexed.id]);
      const late = await finishedCall(current(), { argumentsText: '{"city":"Cairo"}' });
      await restart();
      expect(await ids({ q: 'oslo' })).toEqual([indexed.id]);
      await current().calls.closeInterrupted();
      expect(await ids({ q: 'lima' })).toEqual([early]);
      expect(await ids({ q: 'cairo' })).toEqual([late]);
      expect(await ids({ q: 'oslo server stopped' })).toEqual([indexed.id]);
    });

    it('treats any search input as words, never as syntax', async () => {
      const id = await finishedCall(current());
      const odd = [
        '"',
        '""',
        "'",
        '(',
        ')',
        '^',
        'OR OR',
        'NEAR(a b)',
        'a"b"c',
        '\\',
        '\u0000',
        '\ud800',
        '%',
        '_',
        ';drop table calls',
        'a '.repeat(250),
        '\u0301',
      ];
      expect(await found(odd)).toHaveLength(odd.length);
      const finding = ['^berlin', '-berlin', '{city:berlin}', '"berlin', 'berlin*', '* berlin 🚀', '', ' '];
      expect(await found(finding)).toEqual(finding.map((q) => [q, [id]]));
      const missing = ['berlin AND', 'NOT berlin', 'text:berlin', '*', '🚀', '"', '\u0301'];
      expect(await found(missing)).toEqual(missing.map((q) => [q, []]));
    });
  });
}
