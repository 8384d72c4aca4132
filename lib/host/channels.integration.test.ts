import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Message } from '#lib/contract/channel.ts';
import { type LivingHost, must, oneTool, refusal, startHost } from '#lib/testing/living-host.ts';

const ADA = { name: 'Ada' };
const NOBODY = { name: null };

let living: LivingHost;

afterEach(() => living.remove());

const messagesOf = async (channel: string): Promise<Message[]> =>
  must(await living.host.channels.messages(channel, { limit: 200 })).messages.toReversed();

async function replyTo(message: Message): Promise<Message> {
  return vi.waitUntil(async () => (await messagesOf(message.channel)).find((each) => each.reply_to === message.id), { timeout: 5_000 });
}

describe('the chat in the dashboard', () => {
  it('exists from the start, connected, and stores messages', async () => {
    living = await startHost();
    const { channels } = living.host;
    // PostgreSQL gives it a lease first.
    await vi.waitUntil(async () => (await channels.list()).channels[0]?.state === 'connected');
    expect((await channels.list()).channels).toMatchObject([
      { name: 'web', extension: 'core', state: 'connected', reason: null, queued: 0, commands: { enabled: true, tools: ['*'] } },
    ]);
    const sent = must(await channels.send('web', { text: 'Good morning', recipient: 'Bob' }, ADA));
    expect(sent).toMatchObject({ direction: 'out', state: 'sent', sender: 'Ada', recipient: 'Bob', attempts: 1, call_id: null });
    living = await living.restart();
    expect(await messagesOf('web')).toEqual([sent]);
    expect(must(await living.host.channels.get('web')).last_message_at).toBe(sent.created_at);
  });

  it('runs commands, and answers with the result', async () => {
    living = await startHost({ 'echo/extension.ts': oneTool('echo', 'hello') });
    const { channels, calls } = living.host;
    const asked = must(await channels.inject('web', { text: '/echo text="two words"' }, ADA));
    expect(asked).toMatchObject({ direction: 'in', state: 'received', sender: 'Ada', injected: false });
    const reply = await replyTo(asked);
    expect(reply).toMatchObject({ direction: 'out', state: 'sent', recipient: 'Ada', sender: 'switchboard' });
    expect(JSON.parse(reply.text)).toEqual({ answer: 'hello', text: 'two words' });
    expect(must(await calls.get(reply.call_id ?? ''))).toMatchObject({
      source: 'channel',
      actor: 'web:Ada',
      tool: 'echo',
      status: 'succeeded',
    });
    expect((await messagesOf('web'))[0]).toMatchObject({ id: asked.id, call_id: reply.call_id });
  });

  it('refuses messages that are too long, unknown, or in the wrong state', async () => {
    living = await startHost();
    const { channels } = living.host;
    expect(refusal(await channels.send('web', { text: 'x'.repeat(65_537) }, NOBODY)).code).toBe('body_fields_invalid');
    expect(refusal(await channels.send('web', { text: 'x', metadata: { a: 'x'.repeat(65_536) } }, NOBODY)).code).toBe(
      'body_fields_invalid',
    );
    for (const refused of [
      await channels.send('nowhere', { text: 'x' }, NOBODY),
      await channels.inject('nowhere', { text: 'x' }, NOBODY),
      await channels.retry('nowhere', NOBODY),
      await channels.get('nowhere'),
      await channels.messages('nowhere', { limit: 1 }),
    ])
      expect(refusal(refused).code).toBe('channel_not_found');
    expect(refusal(await channels.resend('nothing', NOBODY)).code).toBe('message_not_found');
    const sent = must(await channels.send('web', { text: 'x' }, NOBODY));
    expect(refusal(await channels.resend(sent.id, NOBODY))).toMatchObject({
      code: 'state_conflict',
      detail: expect.stringContaining('sent already'),
    });
    expect(refusal(await channels.messages('web', { limit: 1, cursor: 'foreign' })).code).toBe('query_invalid');
  });
});
