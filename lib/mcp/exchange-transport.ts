import type { JSONRPCErrorResponse, JSONRPCMessage, JSONRPCResultResponse, Transport } from '@modelcontextprotocol/server';
import type { McpReply, McpText } from '#lib/contract/mcp-exchange.ts';
import type { RpcFailure } from './json-rpc.ts';
import { preparedJson } from './prepared-json.ts';
import { RPC } from './protocol.ts';

const DONE = Promise.resolve();

/**
 * One request on its way through the core of the official package, without sockets or streams of its own: what the core sends
 * goes to the reply of that request. What can go wrong:
 * - a message that the core does not take gets no answer from it, so `run` says that it was not taken;
 * - a request that was cancelled gets no answer either, so whoever serves it says when it is over (`drop`);
 * - what throws is a bug: `run` rejects with it, and what the core would say of it is not sent, as it may tell of our insides;
 * - the core has no listeners here, as it would set them by functions that outlive the request by far (agent-server.ts).
 */
export class ExchangeTransport implements Transport {
  /** Told the version that the core has agreed on with a client of the 2025 protocols. */
  onversion: ((version: string) => void) | null = null;
  readonly #reply: McpReply;
  readonly #isModern: boolean;
  readonly #over = Promise.withResolvers<boolean>();
  #isEntering = false;
  #isTaken = true;
  #isOver = false;
  #failure: RpcFailure | null = null;
  #headers: Readonly<Record<string, string>> | undefined = undefined;

  constructor(isModern: boolean, reply: McpReply) {
    this.#isModern = isModern;
    this.#reply = reply;
  }

  /** `enter` hands the request to the core. Resolves when it is answered or dropped: false when the core does not take it. */
  run(enter: () => void): Promise<boolean> {
    this.#isEntering = true;
    enter();
    this.#isEntering = false;
    if (!this.#isTaken && !this.#isOver) this.#over.resolve(false);
    return this.#over.promise;
  }

  /** The core has an error to report; what it reports while a message enters is that it does not take it. */
  report(): void {
    if (this.#isEntering) this.#isTaken = false;
  }

  drop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reply.drop();
    this.#over.resolve(true);
  }

  fail(bug: unknown): void {
    this.#isOver = true;
    this.#over.reject(bug);
  }

  /** What the core is about to send as a failure, with what it cannot say of it. */
  failWith(failure: RpcFailure): void {
    this.#failure = failure;
  }

  /** Of HTTP, for the result. */
  addHeaders(headers: Readonly<Record<string, string>>): void {
    this.#headers = headers;
  }

  setProtocolVersion(version: string): void {
    this.onversion?.(version);
  }

  start(): Promise<void> {
    return DONE;
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isOver) return DONE;
    if ('method' in message) {
      this.#reply.notify(JSON.stringify(message));
      return DONE;
    }
    this.#isOver = true;
    if ('result' in message) this.#reply.answer(200, textOf(message), this.#headers);
    else this.#sendFailure(message);
    this.#over.resolve(true);
    return DONE;
  }

  close(): Promise<void> {
    return DONE;
  }

  #sendFailure(message: JSONRPCErrorResponse): void {
    if (this.#isEntering) return this.#reply.answer(this.#entryStatus(message.error.code), [JSON.stringify(message)]);
    const { status = 200, code } = this.#failure ?? { code: message.error.code };
    // For a resource that is not there the core has the code of the stateless protocol in all generations; those of 2025 have another.
    const said = !this.#isModern && code === RPC.resourceNotFound ? { ...message, error: { ...message.error, code } } : message;
    this.#reply.answer(status, [JSON.stringify(said)]);
  }

  /** Of what the core refuses before a method is asked. In the stateless protocol an unknown method is also an unknown address. */
  #entryStatus(code: number): number {
    if (!this.#isModern) return 200;
    return code === RPC.methodNotFound ? 404 : 400;
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
