import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { eventsQuerySchema } from '#lib/contract/events.ts';
import { LOCAL_PERSON, type Principal, type TokenHolder } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { createEventStreams } from './event-streams.ts';
import { startTestServer, type TestServer } from '#lib/testing/fake-host.ts';
import { rawRequest, requestText } from '#lib/testing/raw-request.ts';

let server: TestServer;
const sockets: Socket[] = [];

beforeEach(async () => {
  server = await startTestServer();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server[Symbol.asyncDispose]();
});

interface Reader {
  readonly socket: Socket;
  text(): string;
  ids(): number[];
}

function open(query = '', headers: readonly string[] = []): Reader {
  const socket = connect(server.port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.write(requestText('GET', `/api/v1/events${query}`, ['host: localhost', ...headers]));
  const ids = (): number[] => [...text.matchAll(/^id: (\d+)\r?\nevent: /gm)].map((match) => Number(match[1]));
  return { socket, text: () => text, ids };
}

function upTo(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

test('sends each event once, in order, with its type and data, unbuffered', async () => {
  const reader = open();
  await vi.waitFor(() => expect(server.subscribers()).toBe(1));
  server.publish(3);
  await vi.waitFor(() => expect(reader.ids()).toEqual([1, 2, 3]));
  expect(reader.text()).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(reader.text()).toContain('content-type: text/event-stream');
  expect(reader.text()).toContain('cache-control: no-cache, no-transform');
  expect(reader.text()).toContain('x-accel-buffering: no');
  expect(reader.text()).toContain('retry: 1000');
  expect(reader.text()).toMatch(/id: 1\nevent: call\.started\ndata: \{"snapshot_version":1/);
});

test('sends a new reader the current id, so that a disconnect before the first event loses nothing', async () => {
  server.publish(5);
  const reader = open();
  await vi.waitFor(() => expect(reader.text()).toContain('id: 5\n\n'));
  expect(reader.ids()).toEqual([]);
});

test.each(['abc', '-1', '7.5', '9'.repeat(30)])('asks a reader with the invalid Last-Event-ID %j to refetch everything', async (id) => {
  server.publish(5);
  const reader = open('', [`last-event-id: ${id}`]);
  await vi.waitFor(() => expect(reader.text()).toContain('id: 5\nevent: host.resync'));
  server.publish(1);
  await vi.waitFor(() => expect(reader.ids()).toEqual([5, 6]));
});

test('resumes after Last-Event-ID without loss over a hundred disconnects', async () => {
  let last = 0;
  const seen: number[] = [];
  for (let cut = 0; cut < 100; cut += 1) {
    const reader = open('', [`last-event-id: ${last}`]);
    server.publish(3);
    await vi.waitFor(() => expect(reader.ids().length).toBeGreaterThan(0), { interval: 1 });
    reader.socket.destroy();
    const got = reader.ids();
    seen.push(...got);
    last = got.at(-1) ?? last;
  }
  const reader = open('', [`last-event-id: ${last}`]);
  await vi.waitFor(() => expect([...seen, ...reader.ids()]).toEqual(upTo(1, 300)));
});

test('resumes with more events than a socket buffer holds', async () => {
  server.publish(8_000);
  const reader = open('?last_event_id=0');
  await vi.waitFor(() => expect(reader.ids()).toHaveLength(8_000));
  server.publish(1);
  await vi.waitFor(() => expect(reader.ids()).toEqual(upTo(1, 8_001)));
});

test.each([
  ['older than what is kept', '4'],
  ['from another database', '999'],
])('asks for a refetch once when the id is %s', async (_what, id) => {
  server.publish(10);
  server.forget(8);
  const reader = open('', [`last-event-id: ${id}`]);
  await vi.waitFor(() => expect(server.subscribers()).toBe(1));
  server.publish(1);
  await vi.waitFor(() => expect(reader.ids()).toEqual([10, 11]));
  expect(reader.text().match(/event: host\.resync/g)).toHaveLength(1);
});

test('sends only the requested types, and refuses unknown ones', async () => {
  const reader = open('?types=call.finished');
  await vi.waitFor(() => expect(server.subscribers()).toBe(1));
  server.publish(4);
  await vi.waitFor(() => expect(reader.ids()).toEqual([2, 4]));
  for (const query of ['?types=nonsense', '?type=call.finished', '?last_event_id=x']) {
    expect((await rawRequest(server.port, requestText('GET', `/api/v1/events${query}`, ['host: localhost']))).status).toBe(422);
  }
});

test('closes a stalled reader, and leaves no listener behind', async () => {
  const reader = open();
  await vi.waitFor(() => expect(server.subscribers()).toBe(1));
  reader.socket.pause();
  await vi.waitFor(
    () => {
      server.publish(2_000);
      expect(server.subscribers()).toBe(0);
    },
    { timeout: 5_000, interval: 5 },
  );
});

test('leaves no listener after a thousand connects and disconnects', async () => {
  for (let round = 0; round < 10; round += 1) {
    const readers = Array.from({ length: 100 }, () => open());
    await vi.waitFor(() => expect(server.subscribers()).toBe(100), { timeout: 5_000 });
    for (const reader of readers) reader.socket.destroy();
    await vi.waitFor(() => expect(server.subscribers()).toBe(0), { timeout: 5_000 });
  }
});

test('ends every stream when the server stops', async () => {
  const reader = open();
  await vi.waitFor(() => expect(server.subscribers()).toBe(1));
  const ended = new Promise((resolve) => reader.socket.once('close', resolve));
  await server.http.close(60_000);
  await ended;
  expect(server.subscribers()).toBe(0);
});

test('counts streams of agents towards the limit until they close', async () => {
  const one = createEventStreams({ events: server.host.events, snapshotVersion: () => 1, mostStreams: 2 });
  const first = one.take(LOCAL_PERSON, () => undefined);
  const second = one.take(LOCAL_PERSON, () => undefined);
  expect(one.count()).toBe(2);
  expect(one.take(LOCAL_PERSON, () => undefined)).toMatchObject({ ok: false, problem: { code: 'too_many_streams' } });
  if (first.ok) {
    first.value();
    first.value();
  }
  expect(one.count()).toBe(1);
  expect(one.take(LOCAL_PERSON, () => undefined).ok).toBe(true);
  expect(second.ok).toBe(true);
  one.close();
  expect(one.take(LOCAL_PERSON, () => undefined)).toMatchObject({ ok: false, problem: { code: 'shutting_down' } });
});

const holder: TokenHolder = { kind: 'token', id: 't', name: 'nightly', ownerId: 'm', owner: 'Anna', role: 'operator', tools: null };

test('limits the streams of each person and token separately', () => {
  const one = createEventStreams({ events: server.host.events, snapshotVersion: () => 1 });
  const over = Array.from({ length: LIMITS.streamsPerPrincipal }, () => one.take(holder, () => undefined));
  expect(over.every(({ ok }) => ok)).toBe(true);
  expect(one.take(holder, () => undefined)).toMatchObject({
    ok: false,
    problem: { code: 'too_many_own_streams', retryAfter: 15, detail: expect.stringContaining('20 event streams of this token') },
  });
  expect(one.take({ ...holder, id: 'other' }, () => undefined).ok).toBe(true);
  expect(one.take(LOCAL_PERSON, () => undefined).ok).toBe(true);
  const [first] = over;
  if (first?.ok === true) first.value();
  expect(one.take(holder, () => undefined).ok).toBe(true);
  one.close();
});

test('sends heartbeats as events without an id on request, else as comments', async () => {
  const host = { events: server.host.events, snapshotVersion: () => 7 };
  const streams = createEventStreams({ ...host, heartbeatMs: 5 });
  const written = (search: string): (() => string) => {
    let text = '';
    const query = eventsQuerySchema.parse(Object.fromEntries(new URLSearchParams(search)));
    const opened = streams.open({ method: 'GET', url: '', headers: {}, rawHeaders: [], socket: {} }, query, LOCAL_PERSON, () => undefined);
    const read = async (): Promise<void> => {
      if (!opened.ok) throw new Error(opened.problem.detail);
      for await (const chunk of opened.value.body ?? []) text += Buffer.from(chunk).toString();
    };
    void read();
    return () => text;
  };
  const plain = written('');
  const asking = written('?heartbeats=true&types=call.finished');
  await expect.poll(asking).toContain('\n\nevent: heartbeat\ndata: {"snapshot_version":7}\n\n');
  await expect.poll(plain).toContain('\n\n:\n\n');
  expect(plain()).not.toContain('heartbeat');
  streams.close();
});

test('ends the selected streams, and at a heartbeat those with an invalid token', async () => {
  let isCurrent = true;
  const one = createEventStreams({
    events: server.host.events,
    snapshotVersion: () => 1,
    heartbeatMs: 5,
    isCurrent: async () => isCurrent,
  });
  const ended: string[] = [];
  const take = (principal: Principal, name: string): void => {
    const taken = one.take(principal, () => {
      ended.push(name);
      if (taken.ok) taken.value();
    });
  };
  take(holder, 'a token');
  take({ ...holder, id: 'other' }, 'another');
  take(LOCAL_PERSON, 'a person');
  one.endOf((principal) => principal.kind === 'token' && principal.id === 'other');
  expect(ended).toEqual(['another']);
  isCurrent = false;
  await expect.poll(() => ended, { timeout: 10_000 }).toEqual(['another', 'a token']);
  expect(one.count()).toBe(1);
  one.close();
});
