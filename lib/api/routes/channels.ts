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
import { named, route } from '../route.ts';

const Channel = named('Channel', channelSchema);
const Message = named('Message', messageSchema);
const channel = { tag: 'channels', parameter: 'The name of the channel.' } as const;

export const channelRoutes = [
  route(
    {
      method: 'GET',
      path: '/api/v1/channels',
      action: 'channels.read',
      id: 'listChannels',
      summary: 'All channels and their state.',
      tag: 'channels',
      response: named('ChannelList', channelListSchema),
    },
    ({ host }) => ok(host.channels.list()),
  ),
  route(
    {
      ...channel,
      method: 'GET',
      path: '/api/v1/channels/:name',
      action: 'channels.read',
      id: 'getChannel',
      summary: 'One channel.',
      response: Channel,
      problems: ['channel_not_found'],
    },
    ({ host, parameter }) => host.channels.get(parameter),
  ),
  route(
    {
      ...channel,
      method: 'PATCH',
      path: '/api/v1/channels/:name',
      // Administrative: it lets texts from outside run tools.
      action: 'channels.configure',
      id: 'changeChannel',
      summary: 'Set which tools can be called from it by commands.',
      body: named('ChannelSettings', channelSettingsSchema),
      response: Channel,
      problems: ['channel_not_found'],
    },
    ({ host, parameter, body, requester, note }) => {
      note({ settings: JSON.stringify(body) });
      return host.channels.configure(parameter, body, requester.actor);
    },
  ),
  route(
    {
      ...channel,
      method: 'GET',
      path: '/api/v1/channels/:name/messages',
      action: 'channels.read',
      id: 'listMessages',
      summary: 'Its messages, newest first.',
      query: pageQuerySchema,
      response: named('MessagePage', messagePageSchema),
      problems: ['channel_not_found'],
    },
    ({ host, parameter, query }) => host.channels.messages(parameter, query),
  ),
  route(
    {
      ...channel,
      method: 'POST',
      path: '/api/v1/channels/:name/send',
      action: 'channels.send',
      id: 'sendMessage',
      summary: 'Send a message: it is stored, and sent in its turn.',
      body: named('SendMessage', sendMessageSchema),
      response: Message,
      problems: ['channel_not_found', 'too_many_messages'],
    },
    ({ host, parameter, body, requester }) => host.channels.send(parameter, body, requester.actor),
  ),
  route(
    {
      ...channel,
      method: 'POST',
      path: '/api/v1/channels/:name/inject',
      action: 'channels.inject',
      // A call that it causes has the name of the sender, who can be anybody: so the person who injected it is audited.
      audit: 'channels.inject',
      id: 'injectMessage',
      summary: 'Take a test message as if the channel had received it.',
      body: named('InjectMessage', injectMessageSchema),
      response: Message,
      problems: ['channel_not_found', 'too_many_messages'],
    },
    ({ host, parameter, body, requester, note }) => {
      note({ sender: body.sender ?? requester.actor.name });
      return host.channels.inject(parameter, body, requester.actor);
    },
  ),
  route(
    {
      ...channel,
      method: 'POST',
      path: '/api/v1/channels/:name/retry',
      action: 'channels.retry',
      id: 'retryChannel',
      summary: 'Connect now instead of waiting.',
      response: Channel,
      problems: ['channel_not_found', 'state_conflict'],
    },
    ({ host, parameter, requester }) => host.channels.retry(parameter, requester.actor),
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/messages/:id/resend',
      action: 'channels.send',
      id: 'resendMessage',
      summary: 'Queue a failed message again.',
      tag: 'channels',
      parameter: 'The id of the message.',
      response: Message,
      problems: ['message_not_found', 'state_conflict', 'too_many_messages'],
    },
    ({ host, parameter, requester }) => host.channels.resend(parameter, requester.actor),
  ),
];
