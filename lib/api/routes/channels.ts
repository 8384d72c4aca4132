import {
  channelListSchema,
  channelSchema,
  channelSettingsSchema,
  injectMessageSchema,
  messagePageSchema,
  messageSchema,
  sendMessageSchema,
} from '#lib/contract/channel.ts';
import { ok } from '#lib/contract/result.ts';
import { pageQuerySchema } from '#lib/contract/snapshot.ts';
import { named, routesOf } from '../route.ts';

const route = routesOf({ tag: 'channels', parameter: 'The name of the channel.', unknown: 'channel_not_found' });

export const channelRoutes = [
  route('GET /api/v1/channels', 'channels.read', 'listChannels', {
    summary: 'All channels and their state.',
    response: named('ChannelList', channelListSchema),
    handle: async ({ host }) => ok(await host.channels.list()),
  }),
  route('GET /api/v1/channels/:name', 'channels.read', 'getChannel', {
    summary: 'One channel.',
    response: named('Channel', channelSchema),
    handle: ({ host, parameter }) => host.channels.get(parameter),
  }),
  // Administrative: it lets messages from outside run tools.
  route('PATCH /api/v1/channels/:name', 'channels.configure', 'changeChannel', {
    summary: 'Set the tools that its commands may call.',
    body: named('ChannelSettings', channelSettingsSchema),
    response: channelSchema,
    detail: ({ body }) => ({ settings: JSON.stringify(body) }),
    handle: ({ host, parameter, body, requester }) => host.channels.configure(parameter, body, requester.actor),
  }),
  route('GET /api/v1/channels/:name/messages', 'channels.read', 'listMessages', {
    summary: 'Its messages, newest first.',
    query: pageQuerySchema,
    response: named('MessagePage', messagePageSchema),
    handle: ({ host, parameter, query }) => host.channels.messages(parameter, query),
  }),
  route('POST /api/v1/channels/:name/send', 'channels.send', 'sendMessage', {
    summary: 'Send a message: it is stored and queued.',
    body: named('SendMessage', sendMessageSchema),
    response: named('Message', messageSchema),
    problems: ['too_many_messages'],
    handle: ({ host, parameter, body, requester }) => host.channels.send(parameter, body, requester.actor),
  }),
  route('POST /api/v1/channels/:name/inject', 'channels.inject', 'injectMessage', {
    summary: 'Inject a test message as if the channel had received it.',
    // A resulting call has the name of the sender, which is arbitrary: so the person who injected it is audited.
    audit: 'channels.inject',
    body: named('InjectMessage', injectMessageSchema),
    response: messageSchema,
    problems: ['too_many_messages'],
    detail: ({ body, requester }) => ({ sender: body.sender ?? requester.actor.name }),
    handle: ({ host, parameter, body, requester }) => host.channels.inject(parameter, body, requester.actor),
  }),
  route('POST /api/v1/channels/:name/retry', 'channels.retry', 'retryChannel', {
    summary: 'Connect now instead of waiting.',
    response: channelSchema,
    problems: ['state_conflict'],
    handle: ({ host, parameter, requester }) => host.channels.retry(parameter, requester.actor),
  }),
  route('POST /api/v1/messages/:id/resend', 'channels.send', 'resendMessage', {
    summary: 'Queue a failed message again.',
    parameter: 'The id of the message.',
    unknown: 'message_not_found',
    response: messageSchema,
    problems: ['state_conflict', 'too_many_messages'],
    handle: ({ host, parameter, requester }) => host.channels.resend(parameter, requester.actor),
  }),
];
