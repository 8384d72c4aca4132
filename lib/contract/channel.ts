import { z } from 'zod';

export const CHANNEL_STATES = ['connecting', 'connected', 'retrying', 'stopped', 'failed'] as const;
export const MESSAGE_STATES = ['received', 'queued', 'sent', 'failed'] as const;

/** Channels that live in the host's own code; no extension can take their names. */
export const CORE_CHANNELS = ['web', 'telegram'] as const;

/**
 * Whether `/tool …` texts become calls, and of which tools: names, or `*` for all but those that are marked destructive. Off and
 * empty until a person switches it on; `web` begins with all.
 */
export const channelCommandsSchema = z.object({ enabled: z.boolean(), tools: z.array(z.string()) });
export type ChannelCommands = z.infer<typeof channelCommandsSchema>;

export const channelSchema = z.object({
  /** The file name; unique among channels. */
  name: z.string(),
  extension: z.string(),
  description: z.string(),
  state: z.enum(CHANNEL_STATES),
  /** Why it is in this state, in words; null when there is nothing to say. */
  reason: z.string().nullable(),
  /** When it is tried again; only while `retrying`. */
  retry_at: z.iso.datetime().nullable(),
  /** Outbound messages that wait to be sent. */
  queued: z.number().int(),
  /** Outbound messages that were given up: dead letters, until they are sent again. */
  failed: z.number().int(),
  /** Inbound messages that were left out because more came than can be kept, since the host started. */
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
  /** The actor: who wrote it. */
  sender: z.string(),
  /** Whom an outbound message is for; of an inbound one, null or whom it was addressed to. */
  recipient: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  state: z.enum(MESSAGE_STATES),
  /** Why it could not be sent, or be understood as a command. */
  error: z.string().nullable(),
  /** How often sending was tried. */
  attempts: z.number().int(),
  /** The call that this message caused, or whose result it carries. */
  call_id: z.string().nullable(),
  /** The inbound message that an outbound one answers. */
  reply_to: z.string().nullable(),
  /** Put in by a person as a test, not received by the channel. */
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

/** A test message, taken as if the channel had received it. */
export const injectMessageSchema = z.strictObject({ text, sender: z.string().min(1).optional(), metadata: metadata.optional() });
export type InjectMessage = z.infer<typeof injectMessageSchema>;

export const channelSettingsSchema = z.strictObject({
  commands: z.strictObject({ enabled: z.boolean().optional(), tools: z.array(z.string().min(1)).max(1_000).optional() }),
});
export type ChannelSettings = z.infer<typeof channelSettingsSchema>;
