import { useQueryClient } from '@tanstack/react-query';
import { API } from '#lib/contract/paths.ts';
import { callBody } from './call-body.ts';
import { keys } from './queries.ts';
import { request } from './request.ts';
import { SHAPES } from './shapes.ts';
import { knowStarted } from './started-call.ts';
import { useServerMutation } from './use-server-mutation.ts';

/** A call as somebody wrote it. */
export interface WrittenCall {
  /** The arguments, as JSON. */
  readonly text: string;
  readonly timeoutMs: number | null;
  /** The call that this one repeats with other arguments. */
  readonly replayOf: string | null;
  /** What was pressed: however often the request arrives, it is one call. */
  readonly press: string;
}

/** A name for one press of Run. */
export function nameOfPress(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/**
 * Starts a call and answers with the running Call at once; its arguments go out as they are written, byte for byte. It is a call of its
 * own or a replay with other arguments.
 */
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
