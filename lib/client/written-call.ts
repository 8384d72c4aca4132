import { useQueryClient } from '@tanstack/react-query';
import { API } from '#lib/contract/paths.ts';
import { callBody } from './call-body.ts';
import { keys } from './queries.ts';
import { request } from './request.ts';
import { SHAPES } from './shapes.ts';
import { knowStarted } from './started-call.ts';
import { useServerMutation } from './use-server-mutation.ts';

/** A call as typed. */
export interface WrittenCall {
  /** Arguments as JSON. */
  readonly text: string;
  readonly timeoutMs: number | null;
  /** The call that this one replays. */
  readonly replayOf: string | null;
  /** Idempotency key of one press. */
  readonly press: string;
}

/** Key of one press of Run. */
export function nameOfPress(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Starts a call with its arguments byte for byte as written and returns the running Call. It is a new call or a replay. */
export function useWrittenCall(tool: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationKey: ['start-call', tool],
    mutationFn: ({ text, timeoutMs, replayOf, press }: WrittenCall) =>
      request(replayOf === null ? API.callTool(tool) : API.replayCall(replayOf), SHAPES.call, {
        method: 'POST',
        bodyText: callBody(text, timeoutMs),
        headers: { prefer: 'respond-async', 'idempotency-key': press },
      }),
    onSuccess: (call) => {
      knowStarted(client, call);
      void client.invalidateQueries({ queryKey: keys.callLists });
    },
  });
}
