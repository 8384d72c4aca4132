/** Every type of event. Apart from the shapes of events, so that a page that only listens loads nothing else. */
export const EVENT_TYPES = [
  'snapshot.changed',
  'extension.loaded',
  'extension.failed',
  'extension.removed',
  'failure.changed',
  'failure.presence',
  'call.started',
  'call.progress',
  'call.log',
  'call.finished',
  'channel.changed',
  'message.received',
  'message.sent',
  'host.resync',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What a heartbeat is called on a stream that asks for them. It has no id, and is no event of the host. */
export const HEARTBEAT = 'heartbeat';
