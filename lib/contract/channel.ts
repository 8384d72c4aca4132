import * as z from 'zod';
import { LIMITS } from './limits.ts';

export const CHANNEL_STATES = ['connecting', 'connected', 'retrying', 'stopped', 'failed'] as const;
export const MESSAGE_STATES = ['received', 'queued', 'sent', 'failed'] as const;

/** Built-in channels; their names are reserved. */
export const CORE_CHANNELS = ['web', 'telegram'] as const;

/**
 * Whether `/tool …` messages become calls, and of which tools: names, or `*` for all except destructive ones. Off by default;
 * `web` starts with all.
 */
export const channelCommandsSchema = z.object({ enabled: z.boolean(), tools: z.array(z.string()) });
export type ChannelCommands = z.infer<typeof channelCommandsSchema>;

export const channelSchema = z.object({
  /** File name; unique. */
  name: z.string(),
  extension: z.string(),
  /** The instance that receives and sends; null: none does, or each does, as for `web`. */
  instance: z.string().nullable(),
  description: z.string(),
  state: z.enum(CHANNEL_STATES),
  /** Reason of the state, or null. */
  reason: z.string().nullable(),
  /** Time of the next attempt; only while `retrying`. */
  retry_at: z.iso.datetime().nullable(),
  /** Queued outbound messages. */
  queued: z.number().int(),
  /** Dead letters. */
  failed: z.number().int(),
  /** Inbound messages dropped since the start, because the queue was full. */
  dropped: z.number().int(),
  last_message_at: z.iso.datetime().nullable(),
  commands: channelCommandsSchema,
});
export type Channel = z.infer<typeof channelSchema>;
export type ChannelState = Channel['state'];

export const channelListSchema = z.object({ channels: z.array(channelSchema) });
export type ChannelList = z.infer<typeof channelListSchema>;

export const messageSchema = z.object({
  id: z.string(),
  channel: z.string(),
  direction: z.enum(['in', 'out']),
  text: z.string(),
  /** The author. */
  sender: z.string(),
  /** Recipient; may be null for inbound messages. */
  recipient: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  state: z.enum(MESSAGE_STATES),
  /** Why sending or parsing the command failed. */
  error: z.string().nullable(),
  /** Number of attempts to send. */
  attempts: z.number().int(),
  /** The call it started or reports. */
  call_id: z.string().nullable(),
  /** The message it answers. */
  reply_to: z.string().nullable(),
  /** Simulated by a user, not received. */
  injected: z.boolean(),
  created_at: z.iso.datetime(),
});
export type Message = z.infer<typeof messageSchema>;

/** Newest first. */
export const messagePageSchema = z.object({ messages: z.array(messageSchema), next_cursor: z.string().nullable() });
export type MessagePage = z.infer<typeof messagePageSchema>;

const text = z.string().min(1);
const metadata = z.record(z.string(), z.unknown());

export const sendMessageSchema = z.strictObject({ text, recipient: z.string().min(1).optional(), metadata: metadata.optional() });
export type SendMessage = z.infer<typeof sendMessageSchema>;

/** A simulated inbound message. */
export const injectMessageSchema = z.strictObject({
  text,
  sender: z.string().min(1).max(LIMITS.messageSenderLength).optional(),
  metadata: metadata.optional(),
});
export type InjectMessage = z.infer<typeof injectMessageSchema>;

export const channelSettingsSchema = z.strictObject({
  commands: z.strictObject({ enabled: z.boolean().optional(), tools: z.array(z.string().min(1)).max(1_000).optional() }),
});
export type ChannelSettings = z.infer<typeof channelSettingsSchema>;
