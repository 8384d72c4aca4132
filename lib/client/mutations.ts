import { useQueryClient } from '@tanstack/react-query';
import type { ChannelSettings, InjectMessage, SendMessage } from '#lib/contract/channel.ts';
import type { AnswerRequest } from '#lib/contract/client-asks.ts';
import type { ConflictChoice } from '#lib/contract/extension.ts';
import { API } from '#lib/contract/paths.ts';
import { keys } from './queries.ts';
import { request } from './request.ts';
import { SHAPES } from './shapes.ts';
import { sourceKeys } from './source-queries.ts';
import { cacheStarted } from './started-call.ts';
import { useServerMutation } from './use-server-mutation.ts';

/*
 * Every write of the API as a hook. Each invalidates its data immediately; events do the same for other clients. Errors are
 * ApiProblems: show `error.message` beside the control.
 */

export type ExtensionAction =
  | { readonly action: 'restart' | 'disable' | 'enable' | 'unpin' }
  | { readonly action: 'rollback' | 'pin'; readonly revision: number }
  | { readonly action: 'keep-alive'; readonly keep: boolean | null };

/** Restart, disable, enable, roll back, pin, unpin or keep running one extension. */
export function useExtensionAction(id: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: (what: ExtensionAction) =>
      request(API.extensionAction(id, what.action), SHAPES.extension, {
        method: 'POST',
        admin: true,
        ...('revision' in what ? { body: { revision: what.revision } } : 'keep' in what ? { body: { keep: what.keep } } : {}),
      }),
    onSettled: () => {
      for (const queryKey of [keys.extensions, keys.extension(id), keys.tools, keys.toolOfAny, keys.snapshotLists])
        void client.invalidateQueries({ queryKey });
    },
  });
}

/** Chooses between two saves of a file: the served one, or the other one, which is then served by all instances. */
export function useSettleConflict(id: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: (body: ConflictChoice) => request(API.conflict(id), SHAPES.fileConflictList, { method: 'POST', admin: true, body }),
    onSettled: () => {
      for (const queryKey of [
        keys.conflicts,
        keys.extensions,
        keys.extensionOfAny,
        keys.tools,
        keys.toolOfAny,
        sourceKeys.tree,
        sourceKeys.fileOfAny,
      ])
        void client.invalidateQueries({ queryKey });
    },
  });
}

/** Calls the tool with generated arguments; returns the findings at the end, or when `signal` aborts it. */
export function useProbe(tool: string) {
  return useServerMutation({
    mutationFn: ({ destructive, signal }: { destructive: boolean; signal: AbortSignal }) =>
      request(API.probeTool(tool), SHAPES.probeReport, { method: 'POST', body: { destructive }, signal }),
  });
}

/** Cancels a running call. */
export function useCancelCall() {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: (id: string) => request(API.cancelCall(id), SHAPES.call, { method: 'POST' }),
    onSuccess: (call) => {
      client.setQueryData(keys.call(call.id), call);
      void client.invalidateQueries({ queryKey: keys.callLists });
    },
  });
}

/** Answers a question of the server while its tool runs. */
export function useAnswerCall(id: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: (body: AnswerRequest) => request(API.answerCall(id), SHAPES.call, { method: 'POST', body }),
    onSuccess: (call) => client.setQueryData(keys.call(call.id), call),
  });
}

/**
 * Replays a call, optionally with other arguments or on another revision. Returns the running Call immediately; follow it with
 * `useQuery(queries.call(id))`, whose cache is already filled. A call that could not start is an ApiProblem; one that started
 * and failed is a Call with `status: "failed"`.
 */
export function useReplayCall() {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: ({ id, ...body }: { id: string; arguments?: Readonly<Record<string, unknown>>; revision?: number | undefined }) =>
      request(API.replayCall(id), SHAPES.call, { method: 'POST', headers: { prefer: 'respond-async' }, body }),
    onSuccess: (call) => {
      cacheStarted(client, call);
      void client.invalidateQueries({ queryKey: keys.callLists });
    },
  });
}

/** Queues a message and returns it as `queued`; its delivery is shown in the conversation. */
export function useSendMessage(channel: string) {
  const refresh = useRefreshChannel(channel);
  return useServerMutation({
    mutationFn: (body: SendMessage) => request(API.sendMessage(channel), SHAPES.message, { method: 'POST', body }),
    onSuccess: refresh,
  });
}

/** Injects a message as if the channel had received it. */
export function useInjectMessage(channel: string) {
  const refresh = useRefreshChannel(channel);
  return useServerMutation({
    mutationFn: (body: InjectMessage) => request(API.injectMessage(channel), SHAPES.message, { method: 'POST', body }),
    onSuccess: refresh,
  });
}

/** Queues a failed message again. */
export function useResendMessage(channel: string) {
  const refresh = useRefreshChannel(channel);
  return useServerMutation({
    mutationFn: (id: string) => request(API.resendMessage(id), SHAPES.message, { method: 'POST' }),
    onSuccess: refresh,
  });
}

/** Reconnects now instead of waiting for the next attempt. */
export function useRetryChannel(channel: string) {
  const client = useQueryClient();
  const refresh = useRefreshChannel(channel);
  return useServerMutation({
    mutationFn: () => request(API.retryChannel(channel), SHAPES.channel, { method: 'POST' }),
    onSuccess: (answer) => {
      client.setQueryData(keys.channel(channel), answer);
      return refresh();
    },
  });
}

/** Whether `/tool …` messages run tools, and which. */
export function useConfigureChannel(channel: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: (body: ChannelSettings) => request(API.channel(channel), SHAPES.channel, { method: 'PATCH', admin: true, body }),
    onSuccess: (answer) => {
      client.setQueryData(keys.channel(channel), answer);
      void client.invalidateQueries({ queryKey: keys.channels });
    },
  });
}

function useRefreshChannel(channel: string): () => void {
  const client = useQueryClient();
  return () => {
    for (const queryKey of [keys.channels, keys.channel(channel), keys.messages(channel)]) void client.invalidateQueries({ queryKey });
  };
}
