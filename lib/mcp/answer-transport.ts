import { PerRequestHTTPServerTransport } from '@modelcontextprotocol/server';
import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCRequest,
  JSONRPCResultResponse,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { McpAnswer } from '#lib/contract/mcp-exchange.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { failureAnswer } from './json-rpc.ts';
import type { RpcFailure } from './json-rpc.ts';
import { preparedJson } from './prepared-json.ts';
import { MODERN_VERSION, RPC } from './protocol.ts';

/**
 * The transport of the official package for one request, but for an answer that nothing was sent before: the package makes a
 * `Response` of it and closes the connection by an error with its stack, which takes twice the time of all else that it does
 * (docs/adr/0038). Here such an answer is the JSON text. Streams, their keep-alive and their end are the package's.
 */
export class AnswerTransport extends PerRequestHTTPServerTransport {
  /** What the method answers, where the package would send another code, or status 200. */
  failure: RpcFailure | null = null;
  readonly #isModern: boolean;
  /** Emptied with the answer: V8 keeps a transport and its server for long (docs/performance.md), which then hold nothing of it. */
  readonly #waiting: { answer: ((answer: McpAnswer) => void) | null } = { answer: null };
  #isStream = false;
  #isAnswered = false;

  constructor(isModern: boolean) {
    super({
      classification: isModern ? { era: 'modern', revision: MODERN_VERSION } : { era: 'legacy' },
      keepAliveMs: LIMITS.eventHeartbeatMs,
    });
    this.#isModern = isModern;
  }

  answer(message: JSONRPCRequest): Promise<McpAnswer> {
    const waiting = this.#waiting;
    const { promise, resolve } = Promise.withResolvers<McpAnswer>();
    waiting.answer = resolve;
    // A request that is cancelled ends without an answer.
    super.handleMessage(message).then(
      (response) => waiting.answer?.(response),
      () => waiting.answer?.(endedStream()),
    );
    return promise;
  }

  override send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#isAnswered) return DONE;
    if (this.#isStream || 'method' in message) {
      this.#isStream = true;
      return super.send(message, options);
    }
    this.#isAnswered = true;
    this.#waiting.answer?.('result' in message ? { status: 200, json: textOf(message) } : this.#failed(message));
    this.#waiting.answer = null;
    return DONE;
  }

  override close(): Promise<void> {
    return this.#isAnswered ? DONE : super.close();
  }

  #failed({ id, error }: JSONRPCErrorResponse): McpAnswer {
    if (this.failure !== null) return failureAnswer(id ?? null, this.failure);
    // Refused before a method was asked. In the stateless protocol an unknown method is also an unknown address.
    const status = error.code === RPC.methodNotFound ? 404 : 400;
    return failureAnswer(id ?? null, { ...error, status: this.#isModern ? status : 200 });
  }
}

const DONE = Promise.resolve();

export function endedStream(): Response {
  return new Response(null, { headers: { 'content-type': 'text/event-stream' } });
}

/** A long list is not made into JSON again for each who asks. */
function textOf(message: JSONRPCResultResponse): readonly (string | Uint8Array)[] {
  const { tools } = message.result;
  const ready = Array.isArray(tools) ? preparedJson(tools) : undefined;
  if (ready === undefined) return [JSON.stringify(message)];
  const { tools: _, ...others } = message.result;
  const rest = JSON.stringify(others).slice(1);
  return [`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"tools":`, ready, rest === '}' ? '}}' : `,${rest}}`];
}
