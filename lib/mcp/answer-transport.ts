import { PerRequestHTTPServerTransport } from '@modelcontextprotocol/server';
import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCRequest,
  JSONRPCResultResponse,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { McpAnswer, McpJson } from '#lib/contract/mcp-exchange.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { failureAnswer, MODERN_VERSION, RPC, type RpcFailure } from './protocol.ts';

/**
 * The SDK's transport for one request, except for a response without earlier messages: the SDK creates a `Response` and closes
 * the connection by an error with its stack, which takes twice as long as everything else (docs/adr/0038). Here such a response
 * is the JSON text. Streams, keep-alive and their end are the SDK's.
 */
export class AnswerTransport extends PerRequestHTTPServerTransport {
  /** The error that the method returned, where the SDK would send another code, or status 200. */
  failure: RpcFailure | null = null;
  readonly #isModern: boolean;
  /**
   * Cleared with the response: V8 retains a transport and its server for long (docs/performance.md), which then reference no
   * request.
   */
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
    // A cancelled request ends without a response.
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
    // Rejected before a method ran. In the stateless protocol an unknown method is also HTTP 404.
    const status = error.code === RPC.methodNotFound ? 404 : 400;
    return failureAnswer(id ?? null, { ...error, status: this.#isModern ? status : 200 });
  }
}

const DONE = Promise.resolve();

export function endedStream(): Response {
  return new Response(null, { headers: { 'content-type': 'text/event-stream' } });
}

/** A long list is serialized only once. */
function textOf(message: JSONRPCResultResponse): McpJson['json'] {
  const { tools, ...others } = message.result;
  const ready = Array.isArray(tools) ? prepared.get(tools) : undefined;
  if (ready === undefined) return JSON.stringify(message);
  const rest = JSON.stringify(others).slice(1);
  const before = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"tools":`;
  return [Buffer.from(before), ready, Buffer.from(rest === '}' ? '}}' : `,${rest}}`)];
}

/**
 * Lists with cached JSON. The SDK passes the list object on unchanged, by which its JSON is found. If it copied the object,
 * responses would still be correct, only slower.
 */
export interface PreparedList {
  readonly list: readonly unknown[];
  readonly json: Buffer;
}

const prepared = new WeakMap<readonly unknown[], Buffer>();

export function prepareList(list: readonly unknown[]): PreparedList {
  const json = Buffer.from(JSON.stringify(list));
  prepared.set(list, json);
  return { list, json };
}
