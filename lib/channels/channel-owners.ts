import * as z from 'zod';
import { CHANNEL_STATES, messageSchema, sendMessageSchema } from '#lib/contract/channel.ts';
import type { Message, SendMessage } from '#lib/contract/channel.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Instances } from '#lib/instances/instances.ts';
import type { ChannelMessage } from '#lib/runtime/runtime.ts';
import type { ManagedChannel } from './managed-channel.ts';
import { leaseOf } from './managed-channel.ts';

/** Requests about channels that another server owns, asked and answered. */
export interface ChannelOwners {
  /** The other server that owns it; null: this one, or none. */
  of(channel: string): Promise<string | null>;
  /** Channels that others own, as they show them. */
  shown(): Promise<ReadonlyMap<string, ShownOfOwner>>;
  send(owner: string, channel: string, message: SendMessage, sender: string): Promise<Result<Message>>;
  inject(owner: string, channel: string, message: ChannelMessage): Promise<Result<Message>>;
  retry(owner: string, channel: string): Promise<Result<null>>;
}

const shownSchema = z.object({
  state: z.enum(CHANNEL_STATES),
  reason: z.string().nullable(),
  retryAt: z.number().nullable(),
  dropped: z.number(),
});
export type ShownOfOwner = z.infer<typeof shownSchema> & { readonly instance: string };

const requestSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('show'), channels: z.array(z.string()) }),
  z.object({ do: z.literal('retry'), channel: z.string() }),
  z.object({ do: z.literal('send'), channel: z.string(), message: sendMessageSchema, sender: z.string() }),
  z.object({
    do: z.literal('inject'),
    channel: z.string(),
    message: z.object({ text: z.string(), sender: z.string(), channel: z.string(), metadata: z.record(z.string(), z.unknown()) }),
  }),
]);
type Request = z.infer<typeof requestSchema>;

const refusalSchema = z.object({
  ok: z.literal(false),
  problem: z.object({ code: z.enum(['state_conflict', 'too_many_messages']), detail: z.string() }),
});

const KIND = 'channel';
const SHOW_MS = 2_000;
const ACT_MS = 10_000;

export function createChannelOwners({
  instances,
  find,
}: {
  readonly instances: Instances;
  find(channel: string): ManagedChannel | undefined;
}): ChannelOwners {
  instances.answer(KIND, async (payload) => {
    const request = requestSchema.parse(payload);
    if (request.do === 'show') return Object.fromEntries(request.channels.flatMap((name) => showHere(name)));
    const channel = find(request.channel);
    if (channel?.isOwned() !== true) return null;
    switch (request.do) {
      case 'retry':
        channel.retry();
        return { ok: true, value: null };
      case 'send':
        return await channel.send({ ...request.message }, request.sender);
      case 'inject': {
        const injected = channel.inject(request.message);
        return injected === null ? null : ok(await injected);
      }
    }
  });

  function showHere(name: string): [string, z.infer<typeof shownSchema>][] {
    const channel = find(name);
    return channel?.isOwned() === true ? [[name, { ...channel.shown(), dropped: channel.dropped() }]] : [];
  }

  async function holders(): Promise<readonly [channel: string, owner: string][]> {
    if (instances.shared === null) return [];
    const prefix = leaseOf('');
    const held = [...(await instances.holders())].filter(([lease, owner]) => lease.startsWith(prefix) && owner !== instances.id());
    return held.map(([lease, owner]) => [lease.slice(prefix.length), owner]);
  }

  async function act<Value>(owner: string, request: Request, schema: z.ZodType<Value>): Promise<Result<Value>> {
    const answer = await instances.ask(owner, KIND, request, ACT_MS);
    if (!answer.ok) return answer;
    const refusal = refusalSchema.safeParse(answer.value);
    if (refusal.success) return refuse(refusal.data.problem.code, refusal.data.problem.detail);
    const done = z.object({ ok: z.literal(true), value: schema }).safeParse(answer.value);
    if (done.success) return ok(done.data.value);
    return refuse('instance_unavailable', `The instance ${owner} does not own this channel any more. Try again in a few seconds.`, {
      retryAfter: 2,
    });
  }

  return {
    of: async (channel) => (await holders()).find(([name]) => name === channel)?.[1] ?? null,
    async shown() {
      const byOwner = Map.groupBy(await holders(), ([, owner]) => owner);
      const asked = [...byOwner].map(async ([instance, held]): Promise<[string, ShownOfOwner][]> => {
        const answer = await instances.ask(instance, KIND, { do: 'show', channels: held.map(([name]) => name) }, SHOW_MS);
        const read = z.record(z.string(), shownSchema).safeParse(answer.ok ? answer.value : null);
        const silent = {
          state: 'retrying' as const,
          reason: `The instance ${instance}, which serves it, does not answer.`,
          retryAt: null,
          dropped: 0,
        };
        return held.map(([name]) => [name, { ...(read.data?.[name] ?? silent), instance }]);
      });
      return new Map((await Promise.all(asked)).flat());
    },
    send: (owner, channel, message, sender) => act(owner, { do: 'send', channel, message, sender }, messageSchema),
    inject: (owner, channel, message) =>
      act(owner, { do: 'inject', channel, message: { ...message, metadata: { ...message.metadata } } }, messageSchema),
    retry: (owner, channel) => act(owner, { do: 'retry', channel }, z.null()),
  };
}
