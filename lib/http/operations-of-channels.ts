import type { Operation } from './operation.ts';

const CHANNEL = 'The name of the channel.';
const of = { tag: 'channels', parameter: CHANNEL, problems: ['channel_not_found'] } as const;
const sends = [...of.problems, 'too_many_messages'] as const;

export const CHANNEL_OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /api/v1/channels': { id: 'listChannels', summary: 'All channels and how they are.', tag: 'channels', answer: 'ChannelList' },
  'GET /api/v1/channels/:name': { ...of, id: 'getChannel', summary: 'One channel.', answer: 'Channel' },
  'PATCH /api/v1/channels/:name': {
    ...of,
    id: 'changeChannel',
    summary: 'Set which tools can be called from it by commands.',
    body: 'ChannelSettings',
    answer: 'Channel',
  },
  'GET /api/v1/channels/:name/messages': {
    ...of,
    id: 'listMessages',
    summary: 'Its messages, newest first.',
    query: 'page',
    answer: 'MessagePage',
  },
  'POST /api/v1/channels/:name/send': {
    ...of,
    id: 'sendMessage',
    summary: 'Send a message: it is kept, and sent in its turn.',
    body: 'SendMessage',
    answer: 'Message',
    problems: sends,
  },
  'POST /api/v1/channels/:name/inject': {
    ...of,
    id: 'injectMessage',
    summary: 'Take a test message as if the channel had received it.',
    body: 'InjectMessage',
    answer: 'Message',
    problems: sends,
  },
  'POST /api/v1/channels/:name/retry': {
    ...of,
    id: 'retryChannel',
    summary: 'Connect now instead of waiting.',
    answer: 'Channel',
    problems: ['channel_not_found', 'state_conflict'],
  },
  'POST /api/v1/messages/:id/resend': {
    id: 'resendMessage',
    summary: 'Queue a message again that could not be sent.',
    tag: 'channels',
    parameter: 'The id of the message.',
    answer: 'Message',
    problems: ['message_not_found', 'state_conflict', 'too_many_messages'],
  },
};
