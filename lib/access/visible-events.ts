import type { Action } from '#lib/contract/actions.ts';
import { EVENT_TYPES, type EventType } from '#lib/contract/event-types.ts';
import type { HostEvent } from '#lib/contract/events.ts';
import { authorize } from './authorize.ts';
import type { Principal } from './principal.ts';

/** An event is visible to those who may read the record it names. */
export const EVENT_ACTIONS: Readonly<Record<EventType, Action>> = {
  'snapshot.changed': 'snapshots.read',
  'extension.loaded': 'extensions.read',
  'extension.failed': 'extensions.read',
  'extension.removed': 'extensions.read',
  'dependencies.changed': 'extensions.read',
  'failure.changed': 'failures.read',
  'failure.presence': 'failures.attend',
  'call.started': 'calls.read',
  'call.progress': 'calls.read',
  'call.log': 'calls.read',
  'call.finished': 'calls.read',
  'channel.changed': 'channels.read',
  'message.received': 'channels.read',
  'message.sent': 'channels.read',
  'instance.changed': 'snapshots.read',
  'host.resync': 'events.read',
};

/**
 * Filter for an event stream; null for all events. Computed once: a stream ends when its principal's rights change. A token
 * limited to tools sees all calls of these tools, and nothing else.
 */
export function visibleEvents(principal: Principal): ((event: HostEvent) => boolean) | null {
  if (principal.kind === 'token' && principal.tools !== null) {
    const { tools } = principal;
    return ({ type, data }) =>
      type === 'host.resync' || (EVENT_ACTIONS[type] === 'calls.read' && data.tool !== undefined && tools.has(data.tool));
  }
  const types = new Set(EVENT_TYPES.filter((type) => authorize(principal, EVENT_ACTIONS[type], null).allowed));
  return types.size === EVENT_TYPES.length ? null : ({ type }) => types.has(type);
}
