import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { EventData, EventType } from '#lib/contract/events.ts';
import type { LiveListener } from './live-connection.ts';
import { keys } from './queries.ts';
import { failureKeys } from './failure-queries.ts';
import { instancesKey } from './instance-queries.ts';
import { savedCallKeys } from './saved-call-queries.ts';
import { sourceKeys } from './source-queries.ts';

/*
 * Turns events into refetches. A burst (a call storm, a 200-file checkout) must neither refetch once per event nor cancel the
 * running refetch repeatedly: keys are collected briefly, and a key whose query is running waits for its end. Lists of calls,
 * which every call invalidates, wait longer. A hidden page reads nothing until it is visible.
 */
export interface LiveRefetch extends LiveListener {
  close(): void;
}

const SOON_MS = 30;
const LATER_MS = 400;

export function createLiveRefetch(client: QueryClient): LiveRefetch {
  const waiting = new Map<string, QueryKey>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let due = Number.POSITIVE_INFINITY;

  function schedule(delay: number) {
    const at = Date.now() + delay;
    if (at >= due) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(flush, delay);
  }

  function flush() {
    due = Number.POSITIVE_INFINITY;
    if (document.hidden) return;
    for (const [name, queryKey] of waiting) {
      if (client.isFetching({ queryKey }) > 0) continue;
      waiting.delete(name);
      void client.invalidateQueries({ queryKey });
    }
    if (waiting.size > 0) schedule(LATER_MS);
  }

  function flushWhenVisible() {
    if (!document.hidden && waiting.size > 0) schedule(0);
  }

  document.addEventListener('visibilitychange', flushWhenVisible);

  function add(queryKey: QueryKey) {
    waiting.set(JSON.stringify(queryKey), queryKey);
    schedule(queryKey[0] === keys.callLists[0] ? LATER_MS : SOON_MS);
  }

  return {
    opened: () => add([]),
    event(type, data) {
      for (const queryKey of keysOf(type, data)) add(queryKey);
    },
    close() {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', flushWhenVisible);
    },
  };
}

/** Query keys that an event invalidates. */
function keysOf(type: EventType, data: EventData): readonly QueryKey[] {
  const extension = data.extension === undefined ? keys.extensionOfAny : keys.extension(data.extension);
  switch (type) {
    case 'snapshot.changed':
      // With a tool: only the saved calls of that tool.
      if (data.tool !== undefined) return [savedCallKeys.list(data.tool)];
      return [
        keys.extensions,
        keys.extensionOfAny,
        keys.tools,
        keys.toolOfAny,
        keys.channels,
        keys.channelOfAny,
        keys.snapshotLists,
        sourceKeys.tree,
        sourceKeys.fileOfAny,
        keys.conflicts,
        keys.secrets,
        keys.toolsets,
        keys.toolsWithParameters,
      ];
    case 'extension.loaded':
    case 'extension.failed':
    case 'extension.removed':
      return [keys.extensions, extension, keys.tools, keys.toolOfAny];
    case 'dependencies.changed':
      return data.extension === undefined ? [keys.extensionOfAny] : [keys.dependencies(data.extension)];
    case 'failure.changed':
      return [
        keys.extensions,
        extension,
        failureKeys.lists,
        data.group_id === undefined ? failureKeys.ofAny : failureKeys.one(data.group_id),
      ];
    case 'failure.presence':
      return data.group_id === undefined ? [failureKeys.presenceOfAny] : [failureKeys.presence(data.group_id)];
    case 'call.started':
      return [keys.callLists];
    case 'call.progress':
    case 'call.log':
      // An ended call has progress only if it was a saved call that is now judged.
      if (data.status !== 'running' && data.tool !== undefined) return [savedCallKeys.list(data.tool)];
      return data.call_id === undefined ? [] : [keys.call(data.call_id)];
    case 'call.finished':
      return [
        keys.callLists,
        ...(data.call_id === undefined ? [] : [keys.call(data.call_id)]),
        ...(data.extension === undefined ? [] : [extension]),
      ];
    case 'channel.changed':
    case 'message.received':
    case 'message.sent':
      return data.channel === undefined
        ? [keys.channels, keys.channelOfAny, keys.messagesOfAny]
        : [keys.channels, keys.channel(data.channel), keys.messages(data.channel)];
    case 'instance.changed':
      return [instancesKey, keys.extensionOfAny];
    case 'host.resync':
      return [[]];
  }
}
