import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Instance } from '#lib/contract/instance.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { refuse, type Result } from '#lib/contract/result.ts';
import type { InstanceKeys, InstanceReport, NoticeKind, PeerRequest, Registered, SharedStore } from '#lib/store/instance-store.ts';

/**
 * The membership of this server among those that share its database: heartbeat, leases, and requests between servers.
 * Alone on SQLite it has no others, holds every lease, and writes nothing.
 *
 * What can go wrong:
 * - this server is disconnected or paused: it stops acting as the owner of its leases (`onLost`) before they expire, and
 *   rejoins with its id once it reaches the database; with a new id if others declared it gone or use its id, because a
 *   statement that it sent before may still arrive;
 * - it was killed and restarts with its INSTANCE_ID: it waits until its previous process is silent for SILENT_MS;
 * - another server dies: after SILENT_MS without a heartbeat, any of the others ends its calls, and its leases expire;
 * - the server that gets a request dies: the request times out.
 */
export interface Instances {
  /** Id of this server. It changes when others declared it gone. */
  id(): string;
  list(): Promise<Instance[]>;
  /** Null: alone on its database. */
  readonly shared: SharedStore | null;
  /** More than one is alive, as of the last heartbeat. */
  hasOthers(): boolean;
  /** Ids of the others that are alive, as of the last heartbeat. */
  others(): readonly string[];
  /**
   * Acquires a lease as soon as it is free, and renews it. `onTaken` gets its epoch; `onLost` is called when another server may
   * acquire it. Returns the function that releases it.
   */
  own(name: string, owner: LeaseOwner): () => Promise<void>;
  /** Whether this server holds a lease now. After a pause of this process it calls `onLost` first. */
  stillHolds(name: string): boolean;
  /** The last stored heartbeat is so old that others may act for this server. */
  isCutOff(): boolean;
  /** Whether an instance died before it started this call; then it can never start it. */
  neverBegan(call: string, instance: string): Promise<boolean>;
  /** Key uses for which this server and another one cannot decrypt each other's data. */
  incompatibleKeys(): Promise<readonly { readonly use: string; readonly instance: string }[]>;
  /** Holder of each lease that is held. */
  holders(): Promise<ReadonlyMap<string, string>>;
  /** Sends a request to another server; refused when it does not answer in time. */
  ask(to: string, kind: string, payload: unknown, waitMs: number): Promise<Result<unknown>>;
  /** Handles requests of others. The result must be JSON. */
  answer(kind: string, work: (payload: unknown) => Promise<unknown>): void;
  notify(kind: NoticeKind, about?: string): void;
  onNotice(kind: NoticeKind, listener: (about: string) => void): () => void;
  /** Reports a change of state before the next heartbeat. */
  report(): void;
  /** Stops the heartbeats and releases the leases. Call it after all calls have ended. */
  close(): Promise<void>;
}

export interface LeaseOwner {
  onTaken(epoch: number): void;
  onLost(): void;
}

export interface InstancesOptions {
  readonly shared: SharedStore | null;
  /** Null: built from the host name and the process id. */
  readonly id: string | null;
  readonly version: string;
  /** Keys of this server; those of the others must be compatible. */
  readonly keys?: InstanceKeys;
  describe(): InstanceReport;
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Other servers, or this one, were declared gone, and their calls ended. */
  onGone(): void;
  /** The state of a server changed. Called on only one of the live servers. */
  onChanged(): void;
}

const BEAT_MS = 2_000;
const SILENT_MS = 10_000;
const LEASE_MS = 10_000;
/** Without a heartbeat for this long, this server acts as if its leases were lost. */
const CUT_OFF_MS = 7_000;
const FORGET_MS = 86_400_000;
/** Longer than any window in which attempts are counted. */
const ATTEMPTS_KEPT_MS = 7_200_000;
const ANSWER_LOOK_MS = 500;
const JOIN_LOOK_MS = 500;

interface WantedLease {
  readonly owner: LeaseOwner;
  /** Null: not held. */
  epoch: number | null;
  /** It was held before: the next lease needs a new epoch, so that late statements of the old one are refused. */
  mustRenew: boolean;
}

function defaultId(): string {
  const machine = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${machine || 'server'}-${process.pid}`;
}

/** @returns null when another running instance uses its id */
export async function createInstances(options: InstancesOptions): Promise<Instances | null> {
  return options.shared === null ? createOnly(options) : await createOneOfMany(options, options.shared);
}

function createOnly({ id: given, version, describe }: InstancesOptions): Instances {
  const id = given ?? defaultId();
  const started_at = new Date().toISOString();
  const work = new Map<string, (payload: unknown) => Promise<unknown>>();
  return {
    id: () => id,
    shared: null,
    async list() {
      const { state, ready, failed, callsRunning } = describe();
      const last_seen = new Date().toISOString();
      return [
        {
          id,
          started_at,
          last_seen,
          version,
          state,
          extensions: { ready, failed },
          calls_running: callsRunning,
          local_files: [],
          is_self: true,
        },
      ];
    },
    hasOthers: () => false,
    others: () => [],
    own(_name, owner) {
      owner.onTaken(1);
      return async () => undefined;
    },
    stillHolds: () => true,
    isCutOff: () => false,
    neverBegan: async () => false,
    incompatibleKeys: async () => [],
    holders: async () => new Map(),
    ask: async (to) => refuseUnanswered(to),
    answer: (kind, answer) => void work.set(kind, answer),
    notify: () => undefined,
    onNotice: () => () => undefined,
    report: () => undefined,
    close: async () => undefined,
  };
}

async function createOneOfMany(options: InstancesOptions, shared: SharedStore): Promise<Instances | null> {
  const { version, describe, log, keys = {} } = options;
  const { instances, notices } = shared;
  const wanted = new Map<string, WantedLease>();
  const workOf = new Map<string, (payload: unknown) => Promise<unknown>>();
  const asking = new Map<string, () => void>();
  let id = options.id ?? defaultId();
  let others: readonly string[] = [];
  let states: string | null = null;
  let isClosed = false;
  let beats = 0;
  let beating: Promise<void> | null = null;

  const freshId = (): string => `${options.id ?? defaultId()}-${randomBytes(3).toString('hex')}`;
  const register = (as: string): Promise<Registered | null> => instances.register(as, version, describe(), keys, SILENT_MS);

  async function join(): Promise<Registered | null> {
    const until = performance.now() + SILENT_MS + BEAT_MS;
    let registered = await register(id);
    if (registered === null && options.id !== null)
      log('info', 'another instance with this INSTANCE_ID is still registered; waiting until its heartbeats stop', { id });
    while (registered === null && performance.now() < until) {
      if (options.id === null) id = freshId();
      else await delay(JOIN_LOOK_MS);
      registered = await register(id);
    }
    return registered;
  }

  const joined = await join();
  if (joined === null) return null;
  let { startedAt, endedCalls } = joined;
  let beatAt = performance.now();
  const isCutOff = (): boolean => performance.now() - beatAt > CUT_OFF_MS;
  notices.send('instances');

  async function beat(): Promise<void> {
    const sentAt = performance.now();
    // The heartbeat does not return leases acquired while it runs.
    const epochs = new Map([...wanted.values()].map((want) => [want, want.epoch]));
    let held = await instances.beat(id, startedAt, describe(), LEASE_MS);
    if (held === null) {
      if (isClosed) return;
      loseAllLeases();
      const [before, next] = [id, freshId()];
      const again = await register(next);
      if (again === null) return;
      id = next;
      startedAt = again.startedAt;
      held = [];
      log('warn', 'this server lost the database connection, so the others ended its calls; it rejoins', { before, id });
      options.onGone();
    }
    beatAt = sentAt;
    const { instances: gone, calls } = await instances.declareGone(SILENT_MS);
    if (gone.length > 0 || calls > 0 || endedCalls) {
      endedCalls = false;
      log('warn', 'instances without a heartbeat are gone; their calls are recorded as failed', { gone, calls });
      options.onGone();
      notices.send('instances');
    }
    const all = await instances.list();
    const alive = all.filter(({ state }) => state !== 'gone').map((instance) => instance.id);
    others = alive.filter((other) => other !== id);
    const before = states;
    states = JSON.stringify(all.map((instance) => [instance.id, instance.state]));
    if (before !== null && before !== states && alive.every((other) => id <= other)) options.onChanged();
    for (const [name, want] of wanted) {
      const isOlder = want.epoch !== null && want.epoch === epochs.get(want);
      if (isOlder && !held.some((lease) => lease.name === name && lease.epoch === want.epoch)) loseLease(want);
      if (want.epoch === null) await acquire(name, want);
    }
    if (beats % 300 === 0) await Promise.all([instances.forget(FORGET_MS), shared.attempts.forget(ATTEMPTS_KEPT_MS), shared.files.sweep()]);
    beats += 1;
  }

  async function acquire(name: string, want: WantedLease): Promise<void> {
    // Another process may use the id by now, and the lease would be its own; the next heartbeat checks that.
    if (isCutOff()) return;
    if (want.mustRenew) await instances.release(name, id);
    want.mustRenew = false;
    const holder = id;
    const lease = await instances.lease(name, holder, LEASE_MS);
    if (id !== holder) return;
    // Released meanwhile: a heartbeat would renew it.
    if (lease !== null && !wanted.has(name)) return await release(name);
    if (lease === null || wanted.get(name) !== want || want.epoch !== null) return;
    want.epoch = lease.epoch;
    want.owner.onTaken(lease.epoch);
  }

  async function release(name: string): Promise<void> {
    await instances.release(name, id).catch(() => undefined);
    notices.send('instances');
  }

  function loseLease(want: WantedLease): void {
    if (want.epoch === null) return;
    want.epoch = null;
    want.mustRenew = true;
    want.owner.onLost();
  }

  function loseAllLeases(): void {
    for (const want of wanted.values()) loseLease(want);
  }

  /** One at a time; retried when the database does not answer. */
  function beatNow(): Promise<void> {
    beating ??= beat()
      .catch((error: unknown) => log('debug', 'the heartbeat could not be stored', { error: String(error) }))
      .finally(() => (beating = null));
    return beating;
  }

  const timer = setInterval(() => {
    // Also applies after a pause of the process.
    if (isCutOff()) loseAllLeases();
    void beatNow();
  }, BEAT_MS).unref();

  async function answerAll(): Promise<void> {
    for (const request of await instances.takeRequests(id)) void answerOne(request);
  }

  async function answerOne({ id: requestId, kind, payload }: PeerRequest): Promise<void> {
    const work = workOf.get(kind);
    let answer: unknown = null;
    try {
      answer = work === undefined ? null : await work(parseExactJson(payload));
    } catch (error) {
      log('warn', 'a request of another instance failed', { kind, error: String(error) });
    }
    await instances.answer(requestId, JSON.stringify(answer ?? null)).catch(() => undefined);
    notices.send('answers', requestId);
  }

  const leave = [
    notices.on('requests', (about) => {
      if (about === '' || about === id) answerAll().catch(() => undefined);
    }),
    notices.on('answers', (about) => {
      if (about !== '') asking.get(about)?.();
    }),
    notices.on('instances', () => void beatNow()),
  ];

  return {
    id: () => id,
    shared,
    list: async () => (await instances.list()).map((instance) => ({ ...instance, is_self: instance.id === id })),
    hasOthers: () => others.length > 0,
    others: () => others,
    own(name, owner) {
      const want: WantedLease = { owner, epoch: null, mustRenew: false };
      wanted.set(name, want);
      acquire(name, want).catch(() => undefined);
      return async () => {
        if (wanted.get(name) === want) wanted.delete(name);
        if (want.epoch === null) return;
        want.epoch = null;
        await release(name);
      };
    },
    stillHolds(name) {
      if (isCutOff()) loseAllLeases();
      return (wanted.get(name)?.epoch ?? null) !== null;
    },
    isCutOff,
    // By then, every statement that the instance sent has ended.
    neverBegan: (call, instance) => instances.neverBegan(call, instance, SILENT_MS + BEAT_MS),
    async incompatibleKeys() {
      const others = await instances.keysOfOthers(id, SILENT_MS);
      return others.flatMap((other) =>
        Object.entries(keys)
          .filter(([use, own]) => !fits(own, other.keys[use] ?? own))
          .map(([use]) => ({ use, instance: other.instance })),
      );
    },
    holders: () => instances.holders(),
    async ask(to, kind, payload, waitMs) {
      const requestId = randomUUIDv7();
      const until = performance.now() + waitMs;
      let wasListed = others.includes(to);
      await instances.ask({ id: requestId, from: id, to, kind, payload: JSON.stringify(payload ?? null) });
      notices.send('requests', to);
      for (;;) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const look = setTimeout(resolve, Math.min(ANSWER_LOOK_MS, Math.max(1, until - performance.now())));
        asking.set(requestId, resolve);
        await promise;
        clearTimeout(look);
        asking.delete(requestId);
        const answer = await instances.takeAnswer(requestId);
        if (answer !== null) return { ok: true, value: parseExactJson(answer) };
        wasListed ||= others.includes(to);
        const isGone = wasListed && !others.includes(to) && to !== id;
        if (isGone || performance.now() >= until) return refuseUnanswered(to);
      }
    },
    answer: (kind, work) => void workOf.set(kind, work),
    notify: (kind, about) => notices.send(kind, about),
    onNotice: (kind, listener) => notices.on(kind, listener),
    // A running heartbeat may contain the previous state.
    report: () =>
      void (beating ?? Promise.resolve()).then(beatNow).then(() => {
        if (!isClosed) notices.send('instances');
      }),
    async close() {
      isClosed = true;
      clearInterval(timer);
      for (const off of leave) off();
      wanted.clear();
      await beating;
      await instances.leave(id, startedAt).catch(() => undefined);
      notices.send('instances');
    },
  };
}

/** Whether each can decrypt the data of the other. */
function fits(one: readonly string[], other: readonly string[]): boolean {
  const [first] = one;
  const [second] = other;
  if (first === undefined || second === undefined) return true;
  return one.includes(second) && other.includes(first);
}

function refuseUnanswered(instance: string): Result<never> {
  return refuse(
    'instance_unavailable',
    `The instance ${instance} does not answer. Try again in a few seconds; GET /api/v1/instances lists all.`,
    {
      retryAfter: 2,
    },
  );
}
