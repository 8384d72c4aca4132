import type {
  JSONRPCErrorResponse,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResultResponse,
  MessageExtraInfo,
  Transport,
} from '@modelcontextprotocol/server';
import type { McpReply, McpText } from '#lib/contract/mcp-exchange.ts';
import type { RpcFailure } from './json-rpc.ts';
import { preparedJson } from './prepared-json.ts';
import { MODERN_VERSION, RPC } from './protocol.ts';

/**
 * One request on its way through the core of the official package, without sockets or streams of its own: what the core sends
 * goes to the reply of that request. What can go wrong:
 * - a message that the core does not take gets no answer from it, so `run` says that it was not taken;
 * - a request that was cancelled gets no answer either, so whoever serves it says when it is over (`drop`);
 * - what throws is a bug: `run` rejects with it, and what the core would say of it is not sent.
 */
export interface ExchangeTransport extends Transport {
  /** Resolves once the request is answered or dropped: false for a message that the core does not take. */
  run(message: JSONRPCRequest): Promise<boolean>;
  /** As a client says that it no longer wants an answer. */
  cancel(): void;
  drop(): void;
  fail(bug: unknown): void;
  /** The core has an error to report; what it reports while a message enters is that it does not take it. */
  report(): void;
  /** What the core is about to send as a failure, with what it cannot say of it. */
  failWith(failure: RpcFailure): void;
}

const LEGACY: MessageExtraInfo = { classification: { era: 'legacy' } };
const MODERN: MessageExtraInfo = { classification: { era: 'modern', revision: MODERN_VERSION } };
const DONE = Promise.resolve();

/** `headersOf` is asked once there is a result. */
export function createExchangeTransport(
  reply: McpReply,
  isModern: boolean,
  headersOf: (() => Readonly<Record<string, string>>) | null,
): ExchangeTransport {
  const extra = isModern ? MODERN : LEGACY;
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  let id: string | number = '';
  let isEntering = false;
  let isTaken = true;
  let isOver = false;
  let failure: RpcFailure | null = null;

  const transport: ExchangeTransport = {
    start: () => DONE,
    close() {
      transport.onclose?.();
      return DONE;
    },
    send(message) {
      if (isOver) return DONE;
      if ('method' in message) {
        reply.notify(JSON.stringify(message));
        return DONE;
      }
      isOver = true;
      if ('result' in message) reply.answer(200, textOf(message), headersOf?.());
      else if (isEntering) reply.answer(entryStatus(message.error.code), [JSON.stringify(message)]);
      else reply.answer(failure?.status ?? 200, [JSON.stringify(withCode(message))]);
      resolve(true);
      return DONE;
    },
    run(message) {
      ({ id } = message);
      isEntering = true;
      transport.onmessage?.(message, extra);
      isEntering = false;
      if (!isTaken && !isOver) resolve(false);
      return promise;
    },
    report() {
      if (isEntering) isTaken = false;
    },
    cancel() {
      const notification: JSONRPCNotification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } };
      transport.onmessage?.(notification, extra);
    },
    drop() {
      if (isOver) return;
      isOver = true;
      reply.drop();
      resolve(true);
    },
    fail(bug) {
      isOver = true;
      reject(bug);
    },
    failWith(given) {
      failure = given;
    },
  };
  return transport;

  /** Of what the core refuses before a method is asked. In the stateless protocol an unknown method is also an unknown address. */
  function entryStatus(code: number): number {
    if (!isModern) return 200;
    return code === RPC.methodNotFound ? 404 : 400;
  }

  /** For a resource that is not there the core has the code of the stateless protocol in all generations; those of 2025 have another. */
  function withCode(message: JSONRPCErrorResponse): JSONRPCErrorResponse {
    if (isModern || failure?.code !== RPC.resourceNotFound) return message;
    return { ...message, error: { ...message.error, code: failure.code } };
  }
}

/** A long list is not made into JSON again for each who asks. */
function textOf(message: JSONRPCResultResponse): McpText {
  const { tools } = message.result;
  const ready = Array.isArray(tools) ? preparedJson(tools) : undefined;
  if (ready === undefined) return [JSON.stringify(message)];
  const { tools: _, ...others } = message.result;
  const rest = JSON.stringify(others).slice(1);
  return [`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"tools":`, ready, rest === '}' ? '}}' : `,${rest}}`];
}
