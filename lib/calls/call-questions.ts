import { randomUUID } from 'node:crypto';
import { PERSON_KINDS, refuseAsk } from '#lib/contract/client-asks.ts';
import type { AnswerRequest, Answerer, AskReply, CallQuestion, ClientAsk } from '#lib/contract/client-asks.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';

/**
 * Open questions of one call to the person who runs it on a page. What can go wrong: nobody answers (refused after
 * LIMITS.answerMs); the call ends first; two pages answer at once (the first counts).
 */
export interface CallQuestions {
  readonly answerer: Answerer;
  /** Oldest first. */
  open(): readonly CallQuestion[];
  answer(request: AnswerRequest): Result<null>;
}

/** JSON-RPC code for a person's refusal to let a model answer. */
const REFUSED_BY_PERSON = -1;

/** @param onChange a question came or went */
export function createCallQuestions(onChange: () => void, signal: AbortSignal): CallQuestions {
  const questions = new Map<string, { readonly ask: ClientAsk; settle(reply: AskReply): void }>();
  return {
    answerer: {
      kinds: PERSON_KINDS,
      async answer(ask) {
        const id = randomUUID();
        const { promise, resolve } = Promise.withResolvers<AskReply>();
        const end = (): void => resolve(refuseAsk('The call has ended.'));
        const minutes = LIMITS.answerMs / 60_000;
        const timer = setTimeout(() => resolve(refuseAsk(`Nobody answered within ${minutes} minutes.`)), LIMITS.answerMs).unref();
        signal.addEventListener('abort', end, { once: true });
        questions.set(id, { ask, settle: resolve });
        onChange();
        try {
          return await promise;
        } finally {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          questions.delete(id);
          onChange();
        }
      },
    },
    open: () => [...questions].map(([id, { ask }]) => ({ id, ...ask })),
    answer({ question, action, content, text }) {
      const found = questions.get(question);
      if (found === undefined) return refuse('state_conflict', 'This question is no longer open: it was answered, or its time is over.');
      if (found.ask.method === 'elicitation/create') {
        found.settle({ ok: true, result: { action, ...(action === 'accept' && content !== undefined ? { content } : {}) } });
      } else if (action !== 'accept') {
        found.settle({ ok: false, error: { code: REFUSED_BY_PERSON, message: 'The person refused to answer for a model.' } });
      } else if (text === undefined) {
        return refuse('body_fields_invalid', '"text" is missing: the message that answers a sampling request.');
      } else {
        const message = { role: 'assistant', model: 'person', stopReason: 'endTurn', content: { type: 'text', text } };
        found.settle({ ok: true, result: message });
      }
      return ok(null);
    },
  };
}
