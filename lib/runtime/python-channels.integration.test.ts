import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { createRuntimeHarness, pythonArtifact } from '#lib/runtime/runtime-harness.ts';
import { PROGRAMS_DIR } from '#lib/testing/shared-programs.ts';
import { createPythonRuntime } from './python-runtime.ts';
import type { ChannelMessage, RunningChannel, RunningExtension } from './runtime.ts';

/** Faults that only Python channels have: functions that block their threads, and unusual exceptions. */
const place = realpathSync(mkdtempSync(join(tmpdir(), 'python-channels-')));
const harness = createRuntimeHarness(
  createPythonRuntime({
    limits: { loadTimeoutMs: 10_000, maxResultBytes: 200_000, extensionMemoryMb: 256 },
    channelLimits: { connectMs: 10_000, sendMs: 200, silenceMs: 10_000 },
    python: 'python3',
    environmentOf: () => ({}),
    commonEnvironment: { PATH: process.env['PATH'] ?? '' },
    workspaceRoot: place,
    cacheDir: PROGRAMS_DIR,
  }),
  (fixture) => pythonArtifact(fixture, join(place, 'programs')),
);
let extension: RunningExtension | null = null;

afterEach(() => extension?.close(0));
afterAll(async () => {
  await harness.runtime.close();
  rmSync(place, { recursive: true });
});

async function start(fixture: string): Promise<RunningChannel> {
  extension = await harness.start(fixture);
  if (extension.channel === null) throw new Error(`${fixture} is no channel`);
  return extension.channel;
}

const said = (text: string): ChannelMessage => ({ text, sender: 'web', channel: 'x', metadata: { recipient: 'ada' } });
const DONE = { ok: true, value: undefined };

it('a recv that blocks delays no send, and a send that blocks delays no other', async () => {
  const channel = await start('channel-blocks');
  expect(await channel.connect()).toEqual(DONE);
  expect(await channel.recv()).toMatchObject({ ok: true, value: { text: 'begun' } });
  const waiting = channel.recv();
  expect(await channel.send(said('block'), null)).toMatchObject({ ok: false, reason: 'timeout' });
  expect(await channel.send(said('through'), null)).toEqual(DONE);
  expect(await waiting).toMatchObject({ ok: true, value: { text: 'through', sender: 'ada' } });
});

it('a process whose threads are all stuck in send is ended', async () => {
  const channel = await start('channel-blocks');
  await channel.connect();
  await channel.recv();
  const waiting = channel.recv();
  const sends = await Promise.all(Array.from({ length: 8 }, () => channel.send(said('block'), null)));
  expect(sends.map((outcome) => (outcome.ok ? 'done' : outcome.reason))).toEqual(Array.from({ length: 8 }, () => 'timeout'));
  expect(await waiting).toMatchObject({ ok: false, reason: 'ended', message: expect.stringContaining('still run in their threads') });
});

it('any exception of a function ends only that call, and any object with the field names is a message', async () => {
  const channel = await start('channel-raises-unusual-exceptions');
  expect(extension?.description.channel).toEqual({ send: 'answer' });
  expect(await channel.connect()).toEqual({ ok: false, reason: 'threw', message: "KeyError: 'token'" });
  expect(await channel.recv()).toMatchObject({ ok: false, reason: 'threw', message: expect.stringContaining('`recv` called sys.exit(3)') });
  expect(await channel.recv()).toMatchObject({ ok: false, reason: 'threw', message: expect.stringContaining('StopIteration') });
  const note = await channel.recv();
  expect(note).toEqual({ ok: true, value: { text: 'a note', sender: 'ada', channel: 'notes', metadata: {} } });
  expect(await channel.send(said('hello'), note.ok ? note.value : null)).toEqual({
    ok: false,
    reason: 'threw',
    message: 'hello to ada: no age',
  });
});
