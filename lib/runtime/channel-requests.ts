import { LIMITS } from '#lib/contract/limits.ts';
import type { ProcessEnd } from './framed-process.ts';
import type { HostMessage } from './messages.ts';

/**
 * Requests to a channel's functions that one process has not answered yet.
 *
 * What can go wrong: `connect` or `send` never returns (it times out, and the process gets a ping); `recv` waits forever, which is
 * allowed, or loops forever. Only a ping distinguishes the two, so the process gets one at intervals while `recv` is pending. Late
 * answers are dropped.
 */
export interface ChannelRequests {
  /** @param limitMs of the answer; of `recv`, which may wait forever, of the answer to a ping */
  ask(step: ChannelStep, payload: string, limitMs: number): Promise<ChannelAnswer>;
  onAnswer(id: number, how: 'done' | 'threw' | 'invalid', payload: Buffer): void;
  onEnd(end: ProcessEnd): void;
}

export type ChannelStep = 'connect' | 'recv' | 'send';

export type ChannelAnswer =
  | { readonly how: 'done'; readonly payload: Buffer }
  | { readonly how: 'threw' | 'invalid'; readonly message: string }
  | { readonly how: 'timeout' }
  | { readonly how: 'ended'; readonly end: ProcessEnd };

export interface ChannelRequestsOptions {
  readonly nextId: () => number;
  /** @param isWanted checked again before a delayed write */
  readonly send: (message: HostMessage, payload: string, isWanted: () => boolean) => void;
  /** Ends the process unless it answers in time. */
  readonly ping: (patienceMs?: number) => void;
}

const HEARTBEAT_MS = 2_000;

interface Waiting {
  readonly step: ChannelStep;
  readonly limitMs: number;
  readonly resolve: (answer: ChannelAnswer) => void;
}

export function createChannelRequests({ nextId, send, ping }: ChannelRequestsOptions): ChannelRequests {
  const waiting = new Map<number, Waiting>();
  let over: ProcessEnd | null = null;
  let heartbeat: NodeJS.Timeout | null = null;

  const updateHeartbeat = (): void => {
    const recv = [...waiting.values()].find(({ step }) => step === 'recv');
    if (recv !== undefined) heartbeat ??= setInterval(() => ping(recv.limitMs), HEARTBEAT_MS).unref();
    else if (heartbeat !== null) {
      clearInterval(heartbeat);
      heartbeat = null;
    }
  };

  return {
    ask(step, payload, limitMs) {
      if (over !== null) return Promise.resolve({ how: 'ended', end: over });
      return new Promise((resolve) => {
        const id = nextId();
        const settle = (answer: ChannelAnswer): void => {
          clearTimeout(timer);
          waiting.delete(id);
          updateHeartbeat();
          resolve(answer);
        };
        const timeOut = (): void => {
          settle({ how: 'timeout' });
          send({ type: 'abort', id, reason: 'timeout' }, '', () => true);
          ping();
        };
        const timer = step === 'recv' ? undefined : setTimeout(timeOut, limitMs);
        waiting.set(id, { step, limitMs, resolve: settle });
        updateHeartbeat();
        send({ type: 'channel', id, step }, payload, () => waiting.has(id));
      });
    },
    onAnswer(id, how, payload) {
      const found = waiting.get(id);
      if (found === undefined) return;
      if (how === 'done') found.resolve({ how, payload: Buffer.from(payload) });
      else found.resolve({ how, message: payload.subarray(0, LIMITS.errorMessageBytes).toString('utf8') });
    },
    onEnd(end) {
      over = end;
      for (const { resolve } of waiting.values()) resolve({ how: 'ended', end });
    },
  };
}
