import type { Action } from '#lib/contract/actions.ts';
import { EVENT_TYPES } from '#lib/contract/event-types.ts';
import type { EventType } from '#lib/contract/event-types.ts';
import type { HostEvent } from '#lib/contract/events.ts';
import { authorize } from './authorize.ts';
import type { Principal } from './principal.ts';

/** An event is a hint to read something again: it is for whoever may read that. */
export const EVENT_ACTIONS: Readonly<Record<EventType, Action>> = {
  'snapshot.changed': 'snapshots.read',
  'extension.loaded': 'extensions.read',
  'extension.failed': 'extensions.read',
  'extension.removed': 'extensions.read',
  'failure.changed': 'failures.read',
  'failure.presence': 'failures.attend',
  'call.started': 'calls.read',
  'call.progress': 'calls.read',
  'call.log': 'calls.read',
  'call.finished': 'calls.read',
  'channel.changed': 'channels.read',
  'message.received': 'channels.read',
  'message.sent': 'channels.read',
  'host.resync': 'events.read',
};

/**
 * Which events somebody may see; null for all. It is asked once for a stream: a stream ends when its principal may something else.
 * A token that is made for some tools sees the calls of these, whoever makes them, and nothing else.
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
