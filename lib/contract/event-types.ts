/** Event types. Separate from the schemas, so pages that subscribe load less. */
export const EVENT_TYPES = [
  'snapshot.changed',
  'extension.loaded',
  'extension.failed',
  'extension.removed',
  'dependencies.changed',
  'failure.changed',
  'failure.presence',
  'call.started',
  'call.progress',
  'call.log',
  'call.finished',
  'channel.changed',
  'message.received',
  'message.sent',
  'instance.changed',
  'host.resync',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Name of a heartbeat on streams that request them. It has no id. */
export const HEARTBEAT = 'heartbeat';
