import type { McpPost, McpReply, McpText } from '#lib/contract/mcp-exchange.ts';
import { failureText, parseMessage } from './json-rpc.ts';
import type { RpcMessage, RpcRequest } from './json-rpc.ts';
import { RPC } from './protocol.ts';

/**
 * Several messages in one array, as one version of the protocol has it: answered together, in the order of the requests.
 * Each has a reply of its own, so that what one says before its answer still goes out at once.
 */
export interface BatchHandlers {
  request(message: RpcRequest, reply: McpReply): Promise<void>;
  notification(message: RpcMessage & { readonly kind: 'notification' }): void;
}

const MOST = 100;

export async function answerBatch(values: readonly unknown[], exchange: McpPost, handlers: BatchHandlers): Promise<void> {
  if (values.length === 0 || values.length > MOST) {
    const message = `An array holds 1 to ${MOST} messages; this one has ${values.length}.`;
    return exchange.answer(400, failureText(null, { status: 400, code: RPC.invalidRequest, message }));
  }
  const messages = values.map(parseMessage);
  const wrong = messages.find((message) => message.kind === 'invalid');
  if (wrong !== undefined)
    return exchange.answer(400, failureText(wrong.id, { status: 400, code: RPC.invalidRequest, message: wrong.reason }));

  for (const message of messages) if (message.kind === 'notification') handlers.notification(message);
  const requests = messages.filter((message) => message.kind === 'request');
  if (requests.length === 0) return exchange.accept();
  const answers = await Promise.all(requests.map((message) => answerOf(message, exchange, handlers)));
  const texts = answers.filter((answer) => answer !== null);
  if (texts.length === 0) return exchange.drop();
  exchange.answer(200, ['[', ...texts.flatMap((text, at) => (at === 0 ? text : [',', ...text])), ']']);
}

async function answerOf(message: RpcRequest, exchange: McpPost, handlers: BatchHandlers): Promise<McpText | null> {
  if (message.method === 'initialize')
    return failureText(message.id, { status: 200, code: RPC.invalidRequest, message: 'initialize comes alone, never in an array.' });
  let answer: McpText | null = null;
  await handlers.request(message, {
    notify: (text) => exchange.notify(text),
    answer: (_status, text) => {
      answer = text;
    },
    drop: () => undefined,
    onGone: (listener) => exchange.onGone(listener),
  });
  return answer;
}
