import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { Call } from '#lib/contract/call.ts';
import { API } from '#lib/contract/paths.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { keys } from './queries.ts';
import { request } from './request.ts';
import { SHAPES } from './shapes.ts';
import { cacheStarted } from './started-call.ts';
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
    mutationFn: ({ text, timeoutMs, replayOf, press }: WrittenCall) =>
      request(replayOf === null ? API.callTool(tool) : API.replayCall(replayOf), SHAPES.call, {
        method: 'POST',
        bodyText: callBody(text, timeoutMs),
        headers: { prefer: 'respond-async', 'idempotency-key': press },
      }),
    onSuccess: (call) => {
      cacheStarted(client, call);
      void client.invalidateQueries({ queryKey: keys.callLists });
    },
  });
}

const LOOK_MS = 500;

/** Starts a call for somebody else than the form, and resolves with its end. `onStart` gets its id. */
export async function runToEnd(
  client: QueryClient,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  onStart: (id: string) => void,
): Promise<Call> {
  let call = await request(API.callTool(tool), SHAPES.call, {
    method: 'POST',
    body: { arguments: args },
    headers: { prefer: 'respond-async' },
  });
  onStart(call.id);
  while (call.status === 'running') {
    cacheStarted(client, call);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    call = await request(API.call(call.id), SHAPES.call);
  }
  cacheStarted(client, call);
  void client.invalidateQueries({ queryKey: keys.callLists });
  return call;
}

/**
 * Request body of a call with its arguments byte for byte as written. Whitespace is removed only if it would exceed the size
 * limit.
 */
export function callBody(argumentsText: string, timeoutMs: number | null): string {
  const written = bodyOf(argumentsText, timeoutMs);
  if (written.length <= LIMITS.bodyBytes && new TextEncoder().encode(written).length <= LIMITS.bodyBytes) return written;
  return bodyOf(JSON.stringify(parseExactJson(argumentsText)), timeoutMs);
}

function bodyOf(argumentsText: string, timeoutMs: number | null): string {
  return `{"arguments":${argumentsText}${timeoutMs === null ? '' : `,"timeout_ms":${timeoutMs}`}}`;
}
