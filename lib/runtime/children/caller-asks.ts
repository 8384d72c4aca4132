import type { AskReply, ClientAsk } from '#lib/contract/client-asks.ts';
import type { HostLink } from './host-link.ts';

/** Questions to the callers of running calls. The host answers each, at the latest when its call has ended. */
export interface CallerAsks {
  ask(call: number, ask: ClientAsk): Promise<AskReply>;
  onReply(id: number, payload: Buffer): void;
}

export function createCallerAsks(link: HostLink): CallerAsks {
  const waiting = new Map<number, (reply: AskReply) => void>();
  let lastId = 0;
  return {
    ask(call, ask) {
      const id = (lastId += 1);
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        link.send({ type: 'ask', id, call }, JSON.stringify(ask));
      });
    },
    onReply(id, payload) {
      const resolve = waiting.get(id);
      waiting.delete(id);
      // From the host, which has parsed it.
      resolve?.(JSON.parse(payload.toString('utf8')) as AskReply);
    },
  };
}
