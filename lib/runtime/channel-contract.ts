import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRuntimeHarness, type RuntimeHarness } from './runtime-harness.ts';
import type { ChannelLimits } from './channel-in-process.ts';
import type { Artifact, ChannelMessage, RunningChannel, RunningExtension, Runtime } from './runtime.ts';

/** Guarantees of every runtime with channels. Each runtime brings the same small channels in its own language. */
export interface ChannelRuntimeUnderTest {
  readonly name: string;
  create(limits: { loadTimeoutMs: number; maxResultBytes: number; extensionMemoryMb: number }, channelLimits?: ChannelLimits): Runtime;
  artifactOf(fixture: string): Artifact;
}

const LIMITS = { loadTimeoutMs: 10_000, maxResultBytes: 200_000, extensionMemoryMb: 256 };
const CHANNEL_LIMITS: ChannelLimits = { connectMs: 1_500, sendMs: 1_500, silenceMs: 3_000 };

const to = (recipient: string, text: string): ChannelMessage => ({
  text,
  sender: 'web',
  channel: 'channel-echo',
  metadata: { recipient },
});
const DONE = { ok: true, value: undefined };

export function describeChannelContract({ name, create, artifactOf }: ChannelRuntimeUnderTest): void {
  describe(`a channel in the ${name} runtime`, () => {
    let harness: RuntimeHarness;
    let extension: RunningExtension | null = null;
    beforeAll(() => {
      harness = createRuntimeHarness(create(LIMITS, CHANNEL_LIMITS), artifactOf);
    });
    afterEach(async () => {
      extension?.channel?.release();
      await extension?.close(0);
      extension = null;
    });
    afterAll(() => harness.runtime.close());

    async function start(fixture: string): Promise<{ extension: RunningExtension; channel: RunningChannel }> {
      extension = await harness.start(fixture);
      if (extension.channel === null) throw new Error(`${fixture} is no channel`);
      return { extension, channel: extension.channel };
    }

    async function startConnected(fixture: string): Promise<{ extension: RunningExtension; channel: RunningChannel }> {
      const started = await start(fixture);
      expect(await started.channel.connect()).toEqual(DONE);
      return started;
    }

    const texts = async (channel: RunningChannel, count: number): Promise<string[]> => {
      const received: string[] = [];
      while (received.length < count) {
        const outcome = await channel.recv();
        if (!outcome.ok) throw new Error(`recv did not bring a message: ${outcome.reason}: ${outcome.message}`);
        received.push(outcome.value.text);
      }
      return received;
    };

    it('is connected, sends and receives', async () => {
      const { extension: running, channel } = await startConnected('channel-echo');
      expect(running.description.channel).toEqual({ send: 'message' });
      expect(await channel.send(to('ada', 'hello'), null)).toEqual(DONE);
      expect(await channel.recv()).toEqual({
        ok: true,
        value: {
          text: 'web said hello',
          sender: 'ada',
          channel: 'channel-echo',
          metadata: { keys: ['channel', 'metadata', 'sender', 'text'] },
        },
      });
      await harness.until(() => running.logs().lines.some(({ message }) => message === 'connecting'));
    });

    it('that answers gets the inbound message and a text; a message without a channel gets its name', async () => {
      const { extension: running, channel } = await startConnected('channel-answers');
      expect(running.description.channel).toEqual({ send: 'answer' });
      const first = await channel.recv();
      expect(first).toEqual({ ok: true, value: { text: 'first', sender: 'ada', channel: 'channel-answers', metadata: {} } });
      expect(await channel.send(to('ada', 'yes'), first.ok ? first.value : null)).toEqual(DONE);
      expect(await channel.recv()).toMatchObject({ ok: true, value: { text: 'first -> yes', channel: 'elsewhere' } });
      expect(await channel.send(to('bob', 'yes'), null)).toMatchObject({
        ok: false,
        reason: 'invalid',
        message: expect.stringContaining('no inbound message yet'),
      });
    });

    it('delivers messages in order, one per request', async () => {
      const { channel } = await startConnected('channel-counts');
      expect(await texts(channel, 500)).toEqual(Array.from({ length: 500 }, (_, index) => String(index + 1)));
      const together = await Promise.all(Array.from({ length: 20 }, () => channel.recv()));
      expect(together.map((outcome) => (outcome.ok ? outcome.value.text : outcome.message))).toEqual(
        Array.from({ length: 20 }, (_, index) => String(index + 501)),
      );
    });

    it('that throws reports its message, logs the location, and continues', async () => {
      const { extension: running, channel } = await start('channel-throws');
      expect(await channel.connect()).toEqual({ ok: false, reason: 'threw', message: 'the service is down' });
      expect(await channel.connect()).toEqual(DONE);
      expect(await channel.recv()).toEqual({ ok: false, reason: 'threw', message: 'the line was cut' });
      expect(await channel.recv()).toMatchObject({ ok: true, value: { text: 'still here' } });
      expect(await channel.send(to('ada', 'hello'), null)).toEqual({ ok: false, reason: 'threw', message: 'nobody lives there' });
      expect(running.logs().lines.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/the line was cut\n.*channel-throws/),
      );
    });

    it('that returns an invalid message gets the validation error and continues', async () => {
      const { channel } = await startConnected('channel-sends-invalid-messages');
      const said: string[] = [];
      for (let outcome = await channel.recv(); !outcome.ok; outcome = await channel.recv()) {
        expect(outcome.reason).toBe('invalid');
        said.push(outcome.message);
      }
      expect(said).toEqual([
        expect.stringContaining('nothing; it must wait'),
        expect.stringContaining('a text; a message is { text'),
        expect.stringContaining('without `text`'),
        expect.stringContaining('`text` is a number'),
        expect.stringContaining('without `sender`'),
        expect.stringContaining('`metadata` is a list'),
        expect.stringContaining('/metadata/act'),
        expect.stringContaining('more than 786,432 bytes'),
      ]);
    });

    it('reports that it is not connected', async () => {
      const { channel } = await start('channel-echo');
      const notConnected = { ok: false, reason: 'ended', message: expect.stringContaining('`connect` comes first') };
      expect(await channel.recv()).toEqual(notConnected);
      expect(await channel.send(to('ada', 'hello'), null)).toEqual(notConnected);
    });

    it('whose functions do not return times out and continues', async () => {
      const { channel } = await startConnected('channel-misbehaves');
      await channel.send(to('ada', 'pid'), null);
      const [pid = ''] = await texts(channel, 1);
      expect(await channel.send(to('ada', 'hang'), null)).toMatchObject({
        ok: false,
        reason: 'timeout',
        message: expect.stringContaining('did not return within'),
      });
      await channel.send(to('ada', 'hang connect'), null);
      expect(await channel.connect()).toMatchObject({ ok: false, reason: 'timeout' });
      expect(await channel.connect()).toEqual(DONE);
      await channel.send(to('ada', 'pid'), null);
      expect(await texts(channel, 1)).toEqual([pid]);
    });

    it('stuck in a loop in send loses its process', async () => {
      const { extension: running, channel } = await startConnected('channel-misbehaves');
      const waiting = channel.recv();
      expect(await channel.send(to('ada', 'loop'), null)).toMatchObject({ ok: false, reason: 'timeout' });
      expect(await waiting).toMatchObject({ ok: false, reason: 'ended', message: expect.stringContaining('stopped answering') });
      expect(harness.failures()).toContainEqual(expect.objectContaining({ code: 'unresponsive' }));
      expect(running.process()).toMatchObject({ restarts: 1 });
      expect(await channel.connect()).toEqual(DONE);
    });

    it('stuck in a loop in recv loses its process, although recv may wait forever', async () => {
      const { extension: running, channel } = await startConnected('channel-loops');
      expect(await channel.recv()).toMatchObject({ ok: false, reason: 'ended', message: expect.stringContaining('stopped answering') });
      expect(running.process()).toMatchObject({ restarts: 1 });
    });

    it('that ends repeatedly is in a crash loop until a person restarts it', async () => {
      const { extension: running, channel } = await start('channel-misbehaves');
      for (let crash = 1; crash <= 3; crash += 1) {
        expect(await channel.connect()).toEqual(DONE);
        const waiting = channel.recv();
        const ended = { ok: false, reason: 'ended', message: expect.stringContaining('ended with exit code 7') };
        expect(await channel.send(to('ada', 'exit'), null)).toEqual(ended);
        expect(await waiting).toEqual(ended);
        expect(await channel.recv()).toEqual(ended);
        expect(running.process()).toMatchObject({ restarts: crash, state: crash < 3 ? 'backoff' : 'crash_loop' });
      }
      expect(harness.failures()).toContainEqual(expect.objectContaining({ code: 'crash_loop' }));
      expect(await channel.connect()).toMatchObject({ ok: false, reason: 'ended', message: expect.stringContaining('Restart') });
      expect(await running.restart('Restarted by a person')).toBeNull();
      expect(running.process()).toMatchObject({ state: 'running', restarts: 0 });
      expect(await channel.recv()).toMatchObject({ ok: false, reason: 'ended' });
      expect(await channel.connect()).toEqual(DONE);
      await channel.send(to('ada', 'say again'), null);
      expect(await texts(channel, 1)).toEqual(['again']);
    });

    it('with an uncaught error is ended', async () => {
      const { extension: running, channel } = await startConnected('channel-misbehaves');
      const waiting = channel.recv();
      await channel.send(to('ada', 'stray'), null);
      expect(await waiting).toMatchObject({ ok: false, reason: 'ended', message: expect.stringContaining('the heart stopped') });
      expect(running.process()).toMatchObject({ restarts: 1 });
    });

    it('restarted by a person ends its pending requests', async () => {
      const { extension: running, channel } = await startConnected('channel-echo');
      const waiting = channel.recv();
      expect(await running.restart('Restarted by a person')).toBeNull();
      expect(await waiting).toMatchObject({ ok: false, reason: 'ended' });
      expect(await channel.connect()).toEqual(DONE);
    });

    it('loses no waiting message when it is closed', async () => {
      const { extension: running, channel } = await startConnected('channel-misbehaves');
      await channel.send(to('ada', 'say one two three'), null);
      let isOver = false;
      const closing = running.close(60_000).then(() => (isOver = true));
      expect(await texts(channel, 3)).toEqual(['one', 'two', 'three']);
      expect(await channel.send(to('ada', 'say four'), null)).toEqual(DONE);
      expect(await texts(channel, 1)).toEqual(['four']);
      expect(await channel.connect()).toMatchObject({ ok: false, reason: 'ended' });
      expect(isOver).toBe(false);
      const waiting = channel.recv();
      channel.release();
      await closing;
      expect(await waiting).toMatchObject({ ok: false, reason: 'ended', message: expect.stringContaining('was stopped') });
      expect(running.process()).toMatchObject({ state: 'stopped', pid: null });
    });

    it('is ended after the drain time if it is not released', async () => {
      const { extension: running, channel } = await startConnected('channel-echo');
      const waiting = channel.recv();
      await running.close(50);
      expect(await waiting).toMatchObject({ ok: false, reason: 'ended' });
    });

    it('that was never connected closes at once', async () => {
      const { extension: running } = await start('channel-echo');
      await running.close(60_000);
      expect(running.process().state).toBe('stopped');
    });

    it('starts at the first connect after a revival, given only its description', async () => {
      const loaded = await start('channel-answers');
      await loaded.extension.close(0);
      const revived = harness.runtime.revive(artifactOf('channel-answers'), loaded.extension.description, { onIncident: () => undefined });
      extension = revived;
      expect(revived.process()).toMatchObject({ state: 'none', pid: null });
      expect(await revived.channel?.connect()).toEqual(DONE);
      expect(await revived.channel?.recv()).toMatchObject({ ok: true, value: { text: 'first' } });
      expect(revived.process().state).toBe('running');
    });
  });
}
