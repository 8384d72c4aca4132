import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { extensionId, EXTENSIONS } from './extension-folder.ts';
import { WAIT_TOOL, KEY_TOOL } from './instance-fleet.ts';
import type { Fleet, Place } from './instance-fleet.ts';
import { startInstanceLoad } from './instance-load.ts';
import type { InstanceLoad } from './instance-load.ts';
import { wait } from './servers.ts';

/** Faults of a fleet under load, and violated guarantees. */
export interface FaultResult {
  readonly counts: InstanceLoad['counts'];
  readonly firstFailures: readonly string[];
  readonly messages: { readonly sent: number; readonly sentAgain: number };
  readonly wrong: readonly string[];
}

export const CALLS_PER_SECOND = 100;
const MESSAGE_EVERY_MS = 500;
const END_WITHIN_MS = 15_000;
const PATIENCE_MS = 60_000;
const POLL_MS = 20;

/** Runs a fault under load of calls and messages, and verifies both. */
async function underLoad(fleet: Fleet, work: (wrong: string[]) => Promise<void>): Promise<FaultResult> {
  const wrong: string[] = [];
  const [first] = fleet.places;
  if (first === undefined) throw new Error('A fleet has servers.');
  await post(first, '/api/v1/channels/bus', { commands: { enabled: true, tools: [KEY_TOOL] } }, 'PATCH');
  const load = startInstanceLoad(fleet, CALLS_PER_SECOND);
  const messages = startMessages(fleet);
  await wait(1_000);
  await work(wrong);
  await wait(1_000);
  await load.stop();
  const sent = await messages.stop();
  const [last] = fleet.places;
  if (last === undefined) throw new Error('A fleet has servers.');
  await until(async () => (await callsOf(last, 'status=running')).length === 0, END_WITHIN_MS).catch(() =>
    wrong.push('calls still read running'),
  );
  wrong.push(...(await load.verify(last)), ...sent.wrong);
  return { counts: load.counts, firstFailures: load.firstFailures, messages: sent, wrong };
}

/** Commands; each must get exactly one reply. */
function startMessages({ bus }: Fleet) {
  const pushed: string[] = [];
  const before = bus.sent.length;
  const timer = setInterval(() => {
    const key = randomUUID();
    pushed.push(key);
    bus.push({ text: `/${KEY_TOOL} key=${key}`, metadata: { key }, idempotency_key: key });
  }, MESSAGE_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      const replies = (): Map<string, Set<string>> => {
        const found = new Map<string, Set<string>>();
        for (const { metadata, idempotency_key: id } of bus.sent.slice(before)) {
          const key = String(metadata['key']);
          found.set(key, (found.get(key) ?? new Set()).add(id));
        }
        return found;
      };
      const isAnswered = (): Promise<boolean> => Promise.resolve(pushed.every((key) => replies().has(key)));
      await until(isAnswered, PATIENCE_MS).catch(() => undefined);
      const found = replies();
      const wrong = pushed.flatMap((key) => {
        const count = found.get(key)?.size ?? 0;
        return count === 1 ? [] : [`the message ${key} has ${count} replies`];
      });
      const distinct = [...found.values()].reduce((sum, ids) => sum + ids.size, 0);
      return { sent: pushed.length, sentAgain: bus.sent.length - before - distinct, wrong };
    },
  };
}

export interface Kills extends FaultResult {
  readonly kills: number;
  /** From a kill until no call of that server reads running. */
  readonly endedMs: readonly number[];
  /** From the kill of the owner of a channel until another one is connected. */
  readonly failOverMs: readonly number[];
}

export async function killAtRandom(fleet: Fleet, kills: number): Promise<Kills> {
  const endedMs: number[] = [];
  const failOverMs: number[] = [];
  const result = await underLoad(fleet, async (wrong) => {
    for (let kill = 0; kill < kills; kill += 1) {
      await wait(Math.random() * 1_000);
      const victim = pick(fleet.places);
      const other = fleet.places.find((place) => place !== victim);
      if (victim === undefined || other === undefined) throw new Error('Several servers run.');
      const dead = await victim.id();
      const isOwner = (await ownerOf(other)) === dead;
      const connects = fleet.bus.connects();
      void post(victim, `/api/v1/tools/${WAIT_TOOL}/call`, { arguments: {} }).catch(() => undefined);
      await until(async () => (await callsOf(other, `status=running&tool=${WAIT_TOOL}&instance=${dead}`)).length > 0, PATIENCE_MS);
      victim.signal('SIGKILL');
      const killedAt = performance.now();
      const restarted = victim.restart();
      const ended = until(async () => (await callsOf(other, `status=running&instance=${dead}`)).length === 0, PATIENCE_MS).then((at) => {
        endedMs.push(at - killedAt);
        if (at - killedAt > END_WITHIN_MS) wrong.push(`calls of ${dead} read running for ${Math.round(at - killedAt)} ms`);
      });
      const taken = isOwner ? until(() => Promise.resolve(fleet.bus.connects() > connects), PATIENCE_MS) : null;
      await Promise.all([restarted, ended, taken?.then((at) => failOverMs.push(at - killedAt))]);
      const [cut] = await callsOf(other, `tool=${WAIT_TOOL}&instance=${dead}`);
      if (cut?.error?.kind !== 'extension_crashed' || !cut.error.message.includes(dead))
        wrong.push(`the cut call of ${dead} reads ${JSON.stringify(cut).slice(0, 300)}`);
    }
  });
  return { ...result, kills, endedMs, failOverMs };
}

export interface Away extends FaultResult {
  readonly unreadyMs: number;
  readonly backMs: number;
  readonly refusals: readonly string[];
}

/** The owner of the channel loses the database, or is paused. */
export async function loseForAWhile(fleet: Fleet, how: 'cut' | 'pause', forMs: number): Promise<Away> {
  let unreadyMs = 0;
  let backMs = 0;
  const refusals: string[] = [];
  const result = await underLoad(fleet, async (wrong) => {
    const [any] = fleet.places;
    const owner = any === undefined ? null : await ownerOf(any);
    const ids = await Promise.all(fleet.places.map(async (place) => ({ place, id: await place.id() })));
    const victim = ids.find(({ id }) => id === owner)?.place ?? any;
    if (victim === undefined) throw new Error('A fleet has servers.');
    const began = performance.now();
    if (how === 'cut') victim.database.cut();
    else victim.signal('SIGSTOP');
    unreadyMs = (await until(async () => !(await isReady(victim)), PATIENCE_MS)) - began;
    if (how === 'cut') {
      const answer = await post(victim, `/api/v1/tools/${KEY_TOOL}/call`, { arguments: { key: randomUUID() } });
      refusals.push(`${answer.status} ${String(JSON.parse(await answer.text()).code)}`);
    }
    await wait(forMs - (performance.now() - began));
    const resumed = performance.now();
    if (how === 'cut') victim.database.resume();
    else victim.signal('SIGCONT');
    backMs = (await until(() => isReady(victim), PATIENCE_MS)) - resumed;
    const channelOwner = await ownerOf(victim);
    if (channelOwner === null) wrong.push('no server owns the channel');
  });
  return { ...result, unreadyMs, backMs, refusals };
}

export async function restartAll(fleet: Fleet): Promise<FaultResult> {
  return await underLoad(fleet, async () => {
    for (const place of fleet.places) {
      await place.restart();
      await wait(1_000);
    }
  });
}

export interface Conflicts {
  readonly rounds: number;
  readonly settledMs: readonly number[];
  readonly wrong: readonly string[];
}

/** Two saves of one file on two servers, at most 5 ms apart. */
export async function saveConcurrently(fleet: Fleet, rounds: number): Promise<Conflicts> {
  const [first, second, third] = fleet.places;
  if (first === undefined || second === undefined || third === undefined) throw new Error('Three servers run.');
  const id = extensionId(0);
  const all = [first, second, third];
  const fileOf = (place: Place): string => path.join(path.dirname(place.folder.fileOf(id)), 'data.txt');
  const areEqual = async (text: string | null): Promise<boolean> => {
    const texts = await Promise.all(all.map((place) => readFile(fileOf(place), 'utf8').catch(() => null)));
    return texts.every((one) => one === text);
  };
  const conflicts = async (): Promise<readonly Conflict[]> =>
    (await get<{ conflicts: Conflict[] }>(third, `/api/v1/extensions/${id}`)).conflicts;
  await writeFile(fileOf(first), 'base');
  await until(() => areEqual('base'), PATIENCE_MS);
  const wrong: string[] = [];
  const settledMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const texts = [first, second].map(({ name }) => `${name}, round ${round}\n`.repeat(200));
    const began = performance.now();
    await Promise.all(
      [first, second].map(async (place, at) => {
        if (at === round % 2) await wait(Math.random() * 5);
        await writeFile(fileOf(place), texts[at] ?? '');
      }),
    );
    let found: readonly Conflict[] = [];
    const isSettled = async (): Promise<boolean> => {
      found = await conflicts();
      return found.length > 0 && (await areEqual(found[0]?.serving ?? null));
    };
    const at = await until(isSettled, END_WITHIN_MS).catch(() => null);
    if (at !== null) settledMs.push(at - began);
    const [conflict] = found;
    const kept = [conflict?.serving, conflict?.other];
    if (at === null || found.length !== 1 || texts.some((text) => !kept.includes(text)))
      wrong.push(`round ${round}: ${found.length} conflicts, ${JSON.stringify(kept.map((text) => text?.slice(0, 30)))}`);
    for (const { id: open, serving, other } of found) {
      const keep = round % 3 === 0 ? 'other' : 'serving';
      await post(pick(all) ?? first, `/api/v1/extensions/${id}/conflicts/${open}`, { keep });
      await until(
        async () => (await areEqual(keep === 'other' ? other : serving)) && (await conflicts()).every((one) => one.id !== open),
        PATIENCE_MS,
      );
    }
  }
  return { rounds, settledMs, wrong };
}

interface Conflict {
  readonly id: string;
  readonly serving: string | null;
  readonly other: string | null;
}

/** Time of a server with an empty folder from its start until it has answered a call of each extension. */
export async function joinEmpty(fleet: Fleet): Promise<number> {
  const place = await fleet.join();
  const { tools: listed } = await get<{ tools: readonly { readonly name: string }[] }>(place, '/api/v1/tools');
  const tools = listed.map(({ name }) => name).filter((name) => name.startsWith('add_'));
  if (tools.length < EXTENSIONS) throw new Error(`A new server serves ${tools.length} of ${EXTENSIONS} extensions.`);
  await Promise.all(
    tools.map(async (tool) => {
      const answer = await post(place, `/api/v1/tools/${tool}/call`, { arguments: { left: 1 } });
      const { status }: { readonly status: string } = JSON.parse(await answer.text());
      if (status !== 'succeeded') throw new Error(`${tool} ended as ${status} on a new server.`);
    }),
  );
  return performance.now() - place.server.spawnedAt;
}

interface ListedCall {
  readonly error: { readonly kind: string; readonly message: string } | null;
}

async function callsOf(at: Place, query: string): Promise<readonly ListedCall[]> {
  return (await get<{ calls: readonly ListedCall[] }>(at, `/api/v1/calls?limit=50&${query}`)).calls;
}

async function ownerOf(at: Place): Promise<string | null> {
  return (await get<{ instance: string | null }>(at, '/api/v1/channels/bus')).instance;
}

async function isReady({ server }: Place): Promise<boolean> {
  return await fetch(`${server.url}/readyz`, { signal: AbortSignal.timeout(1_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

export async function get<Value>({ server }: Place, target: string): Promise<Value> {
  const answer = await fetch(server.url + target, { headers: { connection: 'close' } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`GET ${target} answered ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

export function post({ server }: Place, target: string, body: unknown, method = 'POST'): Promise<Response> {
  return fetch(server.url + target, {
    method,
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(body),
  });
}

/** Resolves with the time. */
export async function until(isSo: () => Promise<boolean>, mostMs: number): Promise<number> {
  const end = performance.now() + mostMs;
  for (;;) {
    if (await isSo().catch(() => false)) return performance.now();
    if (performance.now() > end) throw new Error(`It was not so within ${mostMs} ms: ${isSo.toString().slice(0, 200)}`);
    await wait(POLL_MS);
  }
}

function pick<Value>(values: readonly Value[]): Value | undefined {
  return values[Math.floor(Math.random() * values.length)];
}
