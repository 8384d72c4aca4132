import type { Message } from '#lib/contract/channel.ts';
import type { ChannelRepository } from '#lib/store/store.ts';
import { outboundMessage } from './channel-messages.ts';

/** In-memory queue of a channel, as far as sending needs it. */
export interface FakeQueue extends Pick<ChannelRepository, 'nextQueued' | 'beginSend' | 'endSend'> {
  put(text: string, recipient?: string | null): Message;
  get(text: string): Message | undefined;
  /** The number of next writes that fail. */
  readonly refusals: ('storage_full' | 'storage_unavailable')[];
}

export function createFakeQueue(): FakeQueue {
  const messages: Message[] = [];
  const refusals: FakeQueue['refusals'] = [];

  async function change(id: string, columns: (message: Message) => Partial<Message>): Promise<Message> {
    const refusal = refusals.shift();
    if (refusal !== undefined) throw Object.assign(new Error('refused'), { code: refusal });
    const at = messages.findIndex((message) => message.id === id);
    const message = messages[at];
    if (message === undefined) throw new Error(`no message ${id}`);
    const changed = { ...message, ...columns(message) };
    messages[at] = changed;
    return changed;
  }

  return {
    refusals,
    put(text, recipient = null) {
      const message = outboundMessage({ text, sender: 'host', recipient, metadata: {} }, 'fake', 0);
      messages.push(message);
      return message;
    },
    get: (text) => messages.find((message) => message.text === text),
    nextQueued: async (_, exceptFor) =>
      messages.find(({ state, recipient }) => state === 'queued' && !exceptFor.includes(recipient)) ?? null,
    async beginSend(id) {
      await change(id, ({ attempts }) => ({ attempts: attempts + 1 }));
    },
    endSend: async (id, { state, error }) => await change(id, () => ({ state, error })),
  };
}
