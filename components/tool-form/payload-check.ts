'use client';

import { READY } from './check-messages.ts';
import type { CheckAnswer, CheckQuestion } from './check-messages.ts';
import type { Issue } from './issues.ts';

/** Checks a payload against the tool's own schema. Null: it could not be told in time; the server checks in any case. */
export interface PayloadCheck {
  check(payload: unknown): Promise<readonly Issue[] | null>;
  close(): void;
}

const PATIENCE_MS = 3_000;
/** Its program is read over a network, by a machine that may be busy. */
const START_PATIENCE_MS = 60_000;

/**
 * One worker, made at the first question, and ended for good when a check takes too long: a pattern or the like has hung it.
 * Before it is ready it only takes its time.
 */
export function createPayloadCheck(schema: Readonly<Record<string, unknown>>, makeWorker: () => Worker = newWorker): PayloadCheck {
  const text = JSON.stringify(schema);
  const waiting = new Map<number, (issues: readonly Issue[] | null) => void>();
  let worker: Worker | null = null;
  let lastId = 0;
  let gaveUp = false;
  const ready = Promise.withResolvers<void>();

  function start(): Worker {
    const made = makeWorker();
    made.addEventListener('message', (event: MessageEvent<CheckAnswer>) => {
      ready.resolve();
      if (event.data.id !== READY) settle(event.data.id, event.data.issues);
    });
    made.addEventListener('error', giveUp);
    return made;
  }

  function settle(id: number, issues: readonly Issue[] | null) {
    waiting.get(id)?.(issues);
    waiting.delete(id);
  }

  function giveUp() {
    gaveUp = true;
    worker?.terminate();
    worker = null;
    for (const id of waiting.keys()) settle(id, null);
  }

  return {
    async check(payload) {
      if (gaveUp) return null;
      worker ??= start();
      lastId += 1;
      const id = lastId;
      const { promise, resolve } = Promise.withResolvers<readonly Issue[] | null>();
      waiting.set(id, resolve);
      const question: CheckQuestion = { id, schema: text, payload };
      worker.postMessage(question);
      let timer = setTimeout(giveUp, START_PATIENCE_MS);
      void ready.promise.then(() => {
        clearTimeout(timer);
        if (waiting.has(id)) timer = setTimeout(giveUp, PATIENCE_MS);
      });
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    },
    close() {
      worker?.terminate();
      worker = null;
      for (const id of waiting.keys()) settle(id, null);
    },
  };
}

function newWorker(): Worker {
  return new Worker(new URL('./check-worker.ts', import.meta.url), { type: 'module' });
}
