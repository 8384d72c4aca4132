import type { QueryKey } from '@tanstack/react-query';
import type { EventData, EventType } from '#lib/contract/events.ts';
import { failureKeys } from './failure-queries.ts';
import { instancesKey } from './instance-queries.ts';
import { keys } from './queries.ts';
import { savedCallKeys } from './saved-call-queries.ts';
import { sourceKeys } from './source-queries.ts';

/** Query keys that an event invalidates. */
export function keysOf(type: EventType, data: EventData): readonly QueryKey[] {
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
