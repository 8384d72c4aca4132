import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SetWrites, Store } from '#lib/store/store.ts';
import { storageError } from '#lib/store/storage-error.ts';
import { childrenOf } from '#lib/testing/child-processes.ts';
import { type LivingHost, must, oneTool, startHost } from '#lib/testing/living-host.ts';

/** A database that refuses one kind of write: the served and shown state must be as if nothing had been requested. */
const opened = vi.hoisted((): { store: Store | null } => ({ store: null }));
vi.mock('#lib/store/open-store.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('#lib/store/open-store.ts')>();
  return {
    ...original,
    async openStore(...args: Parameters<typeof original.openStore>) {
      const result = await original.openStore(...args);
      if (result.ok) opened.store = result.store;
      return result;
    },
  };
});

let living: LivingHost | null = null;
const start = async (...args: Parameters<typeof startHost>): Promise<LivingHost> => (living = await startHost(...args));
const ADA = { name: 'Ada' };
const PATIENCE = { timeout: 15_000 };
const refused = (): Error => storageError('storage_full', 'The disk is full.');

afterEach(async () => {
  await living?.remove();
  living = null;
  opened.store = null;
});

function storeOf(): Store {
  if (opened.store === null) throw new Error('no store was opened');
  return opened.store;
}

type SetWrite = Exclude<keyof SetWrites, 'revisions' | 'extensions' | 'snapshots'>;
const SET_WRITES: readonly SetWrite[] = ['insertRevision', 'recordFailure', 'updateRevision', 'putExtension', 'insertSnapshot'];

/** The next change of the snapshot that reaches this write is refused, with its earlier writes. */
function refuseNext(write: SetWrite, onRefused: () => void = () => undefined): void {
  vi.restoreAllMocks();
  const store = storeOf();
  const commitSet = store.commitSet.bind(store);
  let refusedWork: unknown = null;
  vi.spyOn(store, 'commitSet').mockImplementation((work) =>
    commitSet((writes) =>
      work({
        ...writes,
        async [write](...args: never[]) {
          // Outside of a transaction, writes use one.
          const written: unknown = await Reflect.apply(writes[write], writes, args);
          refusedWork ??= work;
          if (refusedWork === work) throw refused();
          return written;
        },
      }),
    ).catch((error: unknown) => {
      onRefused();
      throw error;
    }),
  );
}

function runningPrograms(host: LivingHost, id: string): readonly string[] {
  return childrenOf(process.pid)
    .map(({ command }) => command)
    .filter((command) => command.includes(path.join(host.folder, 'extensions', id)));
}

async function withTwoRevisions(): Promise<LivingHost> {
  const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
  await host.save({ 'a/extension.ts': oneTool('first_tool', 'two') });
  await vi.waitFor(() => expect(host.extension('a')?.serving_revision).toBe(2), PATIENCE);
  return host;
}

describe('a write that is refused', () => {
  it('while a call ends delays the caller, and health reports it until it is written', async () => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    const { calls } = storeOf();
    const finish = calls.finish.bind(calls);
    let isRefused = true;
    vi.spyOn(calls, 'finish').mockImplementation((...args) => (isRefused ? Promise.reject(refused()) : finish(...args)));
    const called = host.call('first_tool');
    await vi.waitFor(
      () => expect(host.host.health().storage).toEqual({ ok: false, reason: expect.stringMatching(/^1 finished call waits/) }),
      PATIENCE,
    );
    expect(host.host.health().status).toBe('degraded');
    isRefused = false;
    expect(await called).toMatchObject({ status: 'succeeded', result: { answer: 'one' } });
    expect(host.host.health()).toMatchObject({ status: 'ok', storage: { ok: true, reason: null } });
  });

  it.each(['rollback', 'pin'] as const)('during a %s keeps the serving revision, and the next attempt works', async (action) => {
    const host = await withTwoRevisions();
    const { version } = host.host.extensions.list();
    for (const write of ['putExtension', 'insertSnapshot'] as const) {
      refuseNext(write);
      await expect(host.host.extensions[action]('a', 1, ADA)).rejects.toThrow(/disk is full/);
      expect(await host.call('first_tool')).toMatchObject({ status: 'succeeded', revision: 2, result: { answer: 'two' } });
      expect(host.extension('a')).toMatchObject({ state: 'ready', serving_revision: 2, pinned_revision: null });
      expect(host.host.extensions.list().version).toBe(version);
    }
    expect(must(await host.host.extensions[action]('a', 1, ADA))).toMatchObject({ serving_revision: 1 });
    expect(await host.call('first_tool')).toMatchObject({ status: 'succeeded', revision: 1, result: { answer: 'one' } });
  });

  it('while it is disabled leaves it enabled, after a restart too', async () => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    for (const write of ['putExtension', 'insertSnapshot'] as const) {
      refuseNext(write);
      await expect(host.host.extensions.disable('a', ADA)).rejects.toThrow(/disk is full/);
      expect(await host.call('first_tool')).toMatchObject({ status: 'succeeded' });
      expect(host.extension('a')).toMatchObject({ state: 'ready', serving_revision: 1 });
    }
    vi.restoreAllMocks();
    living = await host.restart();
    expect(living.extension('a')?.state).toBe('ready');
    expect(must(await living.host.extensions.disable('a', ADA)).state).toBe('disabled');
  });

  it('while a folder is removed is retried, and until then it serves', async () => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one'), 'b/extension.ts': oneTool('second_tool', 'two') });
    const { promise, reject } = Promise.withResolvers<never>();
    const write = vi.spyOn(storeOf(), 'commitSet').mockReturnValueOnce(promise);
    await host.save({ a: null });
    await vi.waitFor(() => expect(write).toHaveBeenCalled(), PATIENCE);
    expect(await host.call('first_tool')).toMatchObject({ status: 'succeeded' });
    reject(refused());
    await vi.waitFor(() => expect(host.log.join('')).toMatch(/could not load a change/), PATIENCE);
    await vi.waitFor(() => expect(host.extension('a')).toBeUndefined(), PATIENCE);
    expect(host.host.tools.list().tools.map((tool) => tool.name)).toEqual(['second_tool']);
  });

  it.each(SET_WRITES)('(%s) while a broken save is loaded stores nothing of it, and later all', async (write) => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    const { revisions, extensions, snapshots, failures } = storeOf();
    const kept = () => Promise.all([revisions.list('a'), extensions.get('a'), snapshots.latest(), failures.list('a', 9)]);
    const before = await kept();
    let after: unknown = null;
    refuseNext(write, () => {
      after = kept();
    });
    await host.save({ 'a/extension.ts': 'export const TOOL = (' });
    await vi.waitFor(() => expect(host.log.join('')).toMatch(/could not load a change/), PATIENCE);
    expect(await after).toEqual(before);
    await vi.waitFor(() => {
      expect(host.extension('a')).toMatchObject({ state: 'degraded', failure: { code: 'syntax_error' }, revision: 2, serving_revision: 1 });
    }, PATIENCE);
    expect(await host.call('first_tool')).toMatchObject({ status: 'succeeded', revision: 1 });
  });

  it('while a good save is loaded loses no call, and the save serves when storage is back', async () => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    refuseNext('insertSnapshot');
    const failed: unknown[] = [];
    let isCalling = true;
    const calling = (async () => {
      while (isCalling) {
        const call = await host.call('first_tool');
        if (call.status !== 'succeeded') failed.push(call.error);
        await wait(3);
      }
    })();
    await host.save({ 'a/extension.ts': oneTool('first_tool', 'two') });
    await vi.waitFor(async () => expect((await host.call('first_tool')).result).toMatchObject({ answer: 'two' }), PATIENCE);
    isCalling = false;
    await calling;
    expect(failed).toEqual([]);
    expect(host.log.join('')).toMatch(/could not load a change/);
  });

  it('while an extension stops stores that failure later, too', async () => {
    const host = await start({
      'a/extension.ts': `export const TOOL = { label: 'T', name: 'end_it', description: 'Ends.', parameters: {}, execute: () => process.exit(3) };`,
    });
    refuseNext('recordFailure');
    for (let end = 0; end < 3; end += 1) await host.call('end_it');
    await vi.waitFor(() => expect(host.extension('a')).toMatchObject({ state: 'failed', failure: { code: 'crash_loop' } }), PATIENCE);
    expect(host.log.join('')).toMatch(/could not record an incident/);
  });

  it('while an earlier failure is open does not resolve it when the broken file returns', async () => {
    const host = await start({ 'a/extension.ts': 'export const TOOL = (' }, { watch: 'off' });
    expect(host.extension('a')).toMatchObject({ state: 'failed', revision: 1 });
    refuseNext('insertSnapshot');
    await host.save({ 'a/extension.ts': oneTool('first_tool', 'one') });
    await expect(host.reload()).rejects.toThrow(/disk is full/);
    await host.save({ 'a/extension.ts': 'export const TOOL = (' });
    await host.reload();
    expect(host.extension('a')).toMatchObject({ state: 'failed', failure: { code: 'syntax_error' } });
  });
});

describe('a slow write', () => {
  /** Another process holds the lock until it is released. */
  function holdNext(): { reached: () => boolean; letGo: () => void } {
    const store = storeOf();
    const commitSet = store.commitSet.bind(store);
    const { promise, resolve } = Promise.withResolvers<void>();
    const write = vi.spyOn(store, 'commitSet').mockImplementationOnce(async (work) => {
      await promise;
      return commitSet(work);
    });
    return { reached: () => write.mock.calls.length > 0, letGo: resolve };
  }

  it('does not serve a source that was reverted meanwhile', async () => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    const held = holdNext();
    await host.save({ 'a/extension.ts': oneTool('first_tool', 'two') });
    await vi.waitUntil(held.reached, PATIENCE);
    await host.save({ 'a/extension.ts': oneTool('first_tool', 'one') });
    // Time for a load of the reverted source to end before the write does.
    await wait(500);
    held.letGo();
    await host.reload();
    expect((await host.call('first_tool')).result).toMatchObject({ answer: 'one' });
    expect(host.extension('a')).toMatchObject({ state: 'ready', serving_revision: 1 });
  });

  it('leaves no trace of an extension removed meanwhile', async () => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    const held = holdNext();
    await host.save({ 'a/extension.ts': oneTool('first_tool', 'two') });
    await vi.waitUntil(held.reached, PATIENCE);
    await host.save({ a: null });
    await wait(500);
    held.letGo();
    await vi.waitFor(() => expect(host.extension('a')).toBeUndefined(), PATIENCE);
    await vi.waitFor(() => expect(runningPrograms(host, 'a')).toEqual([]), PATIENCE);
  });
});

it('loses no call to a rollback, a pin, or the end of a pin', async () => {
  const host = await withTwoRevisions();
  const failed: unknown[] = [];
  let isCalling = true;
  const callers = Array.from({ length: 20 }, async () => {
    while (isCalling) {
      const call = await host.call('first_tool');
      if (call.status !== 'succeeded') failed.push(call.error);
    }
  });
  for (let round = 0; round < 3; round += 1) {
    must(await host.host.extensions.rollback('a', 1, ADA));
    must(await host.host.extensions.rollback('a', 2, ADA));
    must(await host.host.extensions.pin('a', 1, ADA));
    must(await host.host.extensions.unpin('a', ADA));
  }
  isCalling = false;
  await Promise.all(callers);
  expect(failed).toEqual([]);
});
