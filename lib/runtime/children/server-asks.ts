import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { ClientAsk } from '#lib/contract/client-asks.ts';
import type { CallerAsks } from './caller-asks.ts';

/**
 * A request of a server to the caller of its tool, prompt or resource; rejects with the refusal. What can go wrong: several of them
 * run, and the protocol does not say which one asks. Guessing could show one person the question of another, so such a request is
 * refused.
 * @param call the only running call, prompt or read; 0 if there is none or more than one
 */
export async function askForServer(
  asks: CallerAsks,
  call: number,
  ask: ClientAsk,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  if (call === 0) throw refusal('The caller cannot be asked: no call, prompt or read runs, or several run at once.');
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(refusal('The server no longer waits for an answer.')), { once: true });
  const reply = await Promise.race([asks.ask(call, ask), promise]);
  if (reply.ok) return reply.result;
  throw new ProtocolError(reply.error.code, reply.error.message);
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
}
