import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { askReplySchema } from '#lib/contract/client-asks.ts';
import type { AskReply, ClientAsk } from '#lib/contract/client-asks.ts';
import type { HostLink } from './host-link.ts';

/**
 * Requests of a server to the caller of its tool. What can go wrong: several calls run, and the protocol does not say which of them
 * asks. Guessing could show one person the question of another, so such a request is refused.
 */
export interface ServerAsks {
  /** Rejects with the refusal. */
  ask(ask: ClientAsk, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  onReply(id: number, payload: Buffer): void;
}

/** @param onlyCall the only running call; 0 if there is none or more than one */
export function createServerAsks(link: HostLink, onlyCall: () => number): ServerAsks {
  const waiting = new Map<number, (reply: AskReply) => void>();
  let lastId = 0;
  return {
    async ask(ask, signal) {
      const call = onlyCall();
      if (call === 0) throw refusal('The caller cannot be asked: no call runs, or several run at once.');
      const { promise, resolve, reject } = Promise.withResolvers<AskReply>();
      const id = (lastId += 1);
      waiting.set(id, resolve);
      signal.addEventListener('abort', () => reject(refusal('The server no longer waits for an answer.')), { once: true });
      link.send({ type: 'ask', id, call }, JSON.stringify(ask));
      try {
        const reply = await promise;
        if (reply.ok) return reply.result;
        throw new ProtocolError(reply.error.code, reply.error.message);
      } finally {
        waiting.delete(id);
      }
    },
    onReply(id, payload) {
      const reply = askReplySchema.safeParse(parseExactJson(payload.toString('utf8')));
      if (reply.success) waiting.get(id)?.(reply.data);
    },
  };
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
}
