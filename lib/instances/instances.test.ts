import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Lease, PeerRequest, SharedStore } from '#lib/store/instance-store.ts';
import { createInstances, type Instances } from './instances.ts';

/** Leases in the database, by name. */
let leases: Map<string, Lease>;
let requests: (PeerRequest & { readonly to: string })[];
let answers: Map<string, string>;
/** Emits a notice of the database. */
let notice: (kind: string, about: string) => void;
/** Delays the next statement of this kind. */
let hold: { readonly statement: 'beat' | 'lease'; readonly until: Promise<void>; reached(): void } | null;
let instances: Instances;
let lost: string[];
let taken: string[];

const none = async (): Promise<never[]> => [];
const nothing = async (): Promise<void> => undefined;

async function step(statement: 'beat' | 'lease'): Promise<void> {
  const holding = hold;
  if (holding?.statement !== statement) return;
  hold = null;
  holding.reached();
  await holding.until;
}

/** Resolves once the next statement of this kind has run, and holds its result. */
function holdNext(statement: 'beat' | 'lease'): { readonly reached: Promise<void>; readonly go: () => void } {
  const reached = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  hold = { statement, until: go.promise, reached: reached.resolve };
  return { reached: reached.promise, go: go.resolve };
}

function shared(): SharedStore {
  const listeners = new Map<string, (about: string) => void>();
  notice = (kind, about) => listeners.get(kind)?.(about);
  return {
    instances: {
      register: async () => ({ startedAt: 1, endedCalls: false }),
      keysOfOthers: none,
      async beat() {
        const held = [...leases.values()];
        await step('beat');
        return held;
      },
      list: none,
      setLocalFiles: nothing,
      declareGone: async () => ({ instances: [], calls: 0 }),
      neverBegan: async () => false,
      leave: nothing,
      forget: nothing,
      async lease(name) {
        const lease = leases.get(name) ?? { name, epoch: 1 };
        leases.set(name, lease);
        await step('lease');
        return lease;
      },
      release: async (name) => void leases.delete(name),
      holders: async () => new Map(),
      ask: async (request) => void requests.push(request),
      takeRequests: async () => requests.splice(0),
      putExtensions: nothing,
      servedOnlyElsewhere: none,
      extensionStates: none,
      answer: async (id, answer) => void answers.set(id, answer),
      takeAnswer: async (id) => answers.get(id) ?? null,
    },
    events: { append: nothing, after: none, newestId: async () => 0, trim: nothing },
    files: {
      changesAfter: none,
      contents: async () => new Map(),
      change: async () => ({ ok: true, version: 1 }),
      addConflict: async () => true,
      conflicts: none,
      settle: async () => false,
      sweep: nothing,
    },
    notices: {
      send: (kind, about = '') => queueMicrotask(() => notice(kind, about)),
      on: (kind, listener) => {
        listeners.set(kind, listener);
        return () => void listeners.delete(kind);
      },
    },
    attempts: { count: async () => ({ count: 1, ageMs: 0 }), forget: nothing },
  };
}

beforeEach(async () => {
  [leases, requests, answers, hold, lost, taken] = [new Map(), [], new Map(), null, [], []];
  const made = await createInstances({
    shared: shared(),
    id: 'one',
    version: '1',
    describe: () => ({ state: 'ready', ready: 0, failed: 0, callsRunning: 0 }),
    log: () => undefined,
    onGone: () => undefined,
    onChanged: () => undefined,
  });
  if (made === null) throw new Error('no other has the id');
  instances = made;
});

afterEach(() => instances.close());

const own = (name: string) => instances.own(name, { onTaken: () => void taken.push(name), onLost: () => void lost.push(name) });

it('releases a lease granted after it was given up', async () => {
  const { reached, go } = holdNext('lease');
  const giveUp = own('a');
  await reached;
  await giveUp();
  expect([...leases.keys()]).toEqual(['a']);
  go();
  await expect.poll(() => leases.size).toBe(0);
  expect(taken).toEqual([]);
});

it('holds a lease that was given up and requested again before it was granted', async () => {
  const { reached, go } = holdNext('lease');
  const giveUp = own('a');
  await reached;
  await giveUp();
  own('a');
  await expect.poll(() => taken).toEqual(['a']);
  go();
  own('b');
  await expect.poll(() => taken).toEqual(['a', 'b']);
  expect([...leases.keys()]).toEqual(['a', 'b']);
  expect(instances.stillHolds('a')).toBe(true);
});

it('holds a lease granted during a heartbeat', async () => {
  const { reached, go } = holdNext('beat');
  notice('instances', '');
  await reached;
  own('a');
  await expect.poll(() => taken).toEqual(['a']);
  go();
  const next = holdNext('beat');
  await expect
    .poll(() => {
      notice('instances', '');
      return hold;
    })
    .toBeNull();
  await next.reached;
  next.go();
  expect(lost).toEqual([]);
  expect(instances.stillHolds('a')).toBe(true);
});

it('passes integers beyond 2^53 exactly to another server and back', async () => {
  const got: unknown[] = [];
  instances.answer('call', async (payload) => {
    got.push(payload);
    return { twice: 2_469_135_780_246_913_578n };
  });
  const answer = await instances.ask('one', 'call', { once: 1_234_567_890_123_456_789n }, 20_000);
  expect(got).toEqual([{ once: 1_234_567_890_123_456_789n }]);
  expect(answer).toEqual({ ok: true, value: { twice: 2_469_135_780_246_913_578n } });
});
