import { randomUUID } from 'node:crypto';
import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { kindOfAsk, refuseAsk } from '#lib/contract/client-asks.ts';
import type { Answerer, AskKind, AskReply, ClientAsk } from '#lib/contract/client-asks.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { HostInstances } from '#lib/host/host.ts';
import type { HostServers } from '#lib/host/host-servers.ts';
import { askKindsIn, type Outcome, type RequestContext, RPC } from './protocol.ts';
import type { Session, Sessions } from './sessions.ts';

/**
 * Questions of an MCP server to the client that called its tool: as a request on the stream of the call in a session, as an
 * `input_required` result in the stateless protocol, whose client repeats the call with the answers. What can go wrong: the client
 * never answers (refused after LIMITS.answerMs); the call ends first; the repeated call is of another caller, or for another tool.
 */
interface Question {
  readonly ask: ClientAsk;
  settle(reply: AskReply): void;
}

type Questions = Map<string, Question>;

/** Resolves with the answer; at the latest when `signal` aborts or the time limit passes. */
function askWithin(questions: Questions, id: string, ask: ClientAsk, signal: AbortSignal): Promise<AskReply> {
  const { promise, resolve } = Promise.withResolvers<AskReply>();
  const minutes = LIMITS.answerMs / 60_000;
  const timer = setTimeout(() => resolve(refuseAsk(`The caller did not answer within ${minutes} minutes.`)), LIMITS.answerMs).unref();
  const end = (): void => resolve(refuseAsk('The call has ended.'));
  questions.set(id, { ask, settle: resolve });
  signal.addEventListener('abort', end, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    questions.delete(id);
  });
}

/** The MCP servers that may ask, and the calling member. */
export interface Askers {
  readonly servers: readonly string[];
  readonly member: string | undefined;
}

/** @param send writes to the stream of the call */
export function answererOfSession(
  session: Session,
  { servers, member }: Askers,
  send: (request: JSONRPCRequest) => void,
  signal: AbortSignal,
): Answerer | null {
  if (session.kinds.length === 0) return null;
  return {
    kinds: session.kinds,
    answer(asked) {
      const ask = withElicitationId(asked);
      const id = `ask-${randomUUID()}`;
      if (ask.method === 'roots/list') for (const server of servers) session.rootsAskedBy.set(server, member);
      noteElicitation(session, ask.params['elicitationId']);
      const answer = askWithin(session.asks, id, ask, signal);
      send({ jsonrpc: '2.0', id, ...ask });
      return answer;
    },
  };
}

/** The 2025 protocols require an id for an elicitation by URL; the stateless protocol has none. */
function withElicitationId(ask: ClientAsk): ClientAsk {
  const isComplete = kindOfAsk(ask) !== 'url' || ask.params['elicitationId'] !== undefined;
  return isComplete ? ask : { ...ask, params: { ...ask.params, elicitationId: randomUUID() } };
}

const ELICITATIONS_MOST = 100;

/** Id of an elicitation by URL: the server may report its completion. */
export function noteElicitation({ elicitations }: Session, id: unknown): void {
  if (typeof id !== 'string') return;
  elicitations.add(id);
  const [oldest] = elicitations;
  if (elicitations.size > ELICITATIONS_MOST && oldest !== undefined) elicitations.delete(oldest);
}

/** Notifies the servers that asked for the roots of a session; they may ask again, on its stream. */
export function reportRoots(servers: Pick<HostServers, 'request'>, sessions: Pick<Sessions, 'send'>, session: Session): void {
  for (const [server, member] of session.rootsAskedBy) {
    const over = new AbortController();
    const send = ({ id, method, params = {} }: JSONRPCRequest): void => sessions.send(session, { id: String(id), method, params });
    const answerer = answererOfSession(session, { servers: [server], member }, send, over.signal);
    const from = { answerer: answerer === null ? null : { ...answerer, kinds: ['roots'] as const }, member };
    void servers.request(server, 'notifications/roots/list_changed', {}, undefined, from).finally(() => over.abort());
  }
}

/** The answer of a client to a request of its session; answers to unknown ones are ignored. */
export function acceptAnswer({ asks }: Session, to: string, reply: AskReply): boolean {
  const question = asks.get(to);
  question?.settle(reply);
  return question !== undefined;
}

/** A call of the stateless protocol that may ask. */
export interface OpenCall {
  readonly answerer: Answerer;
  /** The end of the call, or the open questions. */
  round(finished: Promise<Outcome>, cancel: () => void): Promise<Outcome>;
}

export interface RepeatedCall {
  readonly state: unknown;
  readonly tool: string;
  readonly owner: string | null;
  readonly responses: Readonly<Record<string, unknown>>;
  /** Aborts when its client leaves. */
  readonly signal: AbortSignal;
}

/** A repeated call that reached another server than its first request. */
const forwardedCallSchema = z.object({
  state: z.string(),
  tool: z.string(),
  owner: z.string().nullable(),
  responses: z.record(z.string(), z.unknown()),
});
const outcomeSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), result: z.record(z.string(), z.unknown()) }),
  z.object({ ok: z.literal(false), failure: z.object({ code: z.number(), message: z.string() }) }),
]);
const leftSchema = z.object({ left: z.string() });
const RESUME = 'mcp.resume';
const LEFT = 'mcp.left';
const RESUME_MS = 600_000;
const LEFT_MS = 5_000;

export interface OpenCalls {
  open(kinds: readonly AskKind[], tool: string, owner: string | null, signal: AbortSignal): OpenCall;
  /** Null: unknown, ended, of another caller, or for another tool. */
  resume(repeated: RepeatedCall): Promise<Outcome> | null;
}

/** The request state of a call names the server that runs it. */
export function createOpenCalls(instances: Pick<HostInstances, 'others' | 'id' | 'ask' | 'answer'>): OpenCalls {
  const leaving = new Map<string, AbortController>();

  const calls = new Map<
    string,
    { readonly tool: string; readonly owner: string | null; answer(repeated: RepeatedCall): Promise<Outcome> }
  >();
  function resumeHere(repeated: RepeatedCall): Promise<Outcome> | null {
    const { state, tool, owner } = repeated;
    const known = typeof state === 'string' ? calls.get(state) : undefined;
    if (known === undefined || known.tool !== tool || known.owner !== owner) return null;
    calls.delete(String(state));
    return known.answer(repeated);
  }

  async function resumeElsewhere(to: string, { state, tool, owner, responses, signal }: RepeatedCall): Promise<Outcome> {
    const leave = (): void => void instances.ask(to, LEFT, { left: state }, LEFT_MS).catch(() => undefined);
    signal.addEventListener('abort', leave, { once: true });
    const answer = await instances.ask(to, RESUME, { state, tool, owner, responses }, RESUME_MS);
    signal.removeEventListener('abort', leave);
    // As text, because its numbers are exact.
    const outcome = outcomeSchema.safeParse(answer.ok && typeof answer.value === 'string' ? parseExactJson(answer.value) : null);
    return outcome.data ?? ENDED;
  }

  instances.answer(RESUME, async (payload) => {
    const repeated = forwardedCallSchema.parse(payload);
    const left = new AbortController();
    leaving.set(repeated.state, left);
    const outcome = await resumeHere({ ...repeated, signal: left.signal });
    leaving.delete(repeated.state);
    return outcome === null ? null : JSON.stringify(outcome);
  });
  instances.answer(LEFT, async (payload) => {
    leaving.get(leftSchema.parse(payload).left)?.abort();
    return null;
  });

  return {
    open(kinds, tool, owner, signal) {
      const questions: Questions = new Map();
      /** Of the round that waits for answers; each round has its own. */
      let state = '';
      let asked = Promise.withResolvers<null>();
      const call: OpenCall = {
        answerer: {
          kinds,
          answer(ask) {
            const answer = askWithin(questions, randomUUID(), ask, signal);
            asked.resolve(null);
            return answer;
          },
        },
        async round(finished, cancel) {
          const ended = await Promise.race([finished, asked.promise]);
          if (ended !== null) return ended;
          state = `${instances.id()}~${randomUUID()}`;
          calls.set(state, {
            tool,
            owner,
            answer({ responses, signal: left }) {
              left.addEventListener('abort', cancel, { once: true });
              for (const [id, result] of Object.entries(responses)) if (isRecord(result)) questions.get(id)?.settle({ ok: true, result });
              for (const id of Object.keys(responses)) questions.delete(id);
              if (questions.size === 0) asked = Promise.withResolvers<null>();
              return call.round(finished, cancel);
            },
          });
          const inputRequests = Object.fromEntries([...questions].map(([id, { ask }]) => [id, ask]));
          return { ok: true, result: { resultType: 'input_required', inputRequests, requestState: state } };
        },
      };
      signal.addEventListener('abort', () => calls.delete(state), { once: true });
      return call;
    },
    resume(repeated) {
      const [to = ''] = typeof repeated.state === 'string' ? repeated.state.split('~', 1) : [];
      return instances.others().includes(to) ? resumeElsewhere(to, repeated) : resumeHere(repeated);
    },
  };
}

/** Null if the request does not answer questions of an earlier one. */
export function resumeCall({ context, exchange, isModern, ctx }: RequestContext, name: string): Promise<Outcome> | Outcome | null {
  const { mcpReq } = ctx;
  const state: unknown = isModern ? mcpReq.requestState() : undefined;
  if (state === undefined) return null;
  const { key } = exchange.caller;
  return (
    context.openCalls.resume({ state, tool: name, owner: key, responses: mcpReq.inputResponses ?? {}, signal: mcpReq.signal }) ?? ENDED
  );
}

const ENDED: Outcome = {
  ok: false,
  failure: { code: RPC.invalidParams, message: 'The request of this requestState has ended. Send it again without the state.' },
};

/**
 * A read or prompt during which a server may ask its client.
 * @param name unique per resource or prompt, so that no answer reaches another one
 * @param servers that may ask
 */
export async function runAsking(
  name: string,
  servers: readonly string[],
  requestContext: RequestContext,
  run: (answerer: Answerer | null, signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const resumed = resumeCall(requestContext, name);
  if (resumed !== null) return resumed;
  const { context, exchange, session, isModern, ctx, send } = requestContext;
  const { signal } = ctx.mcpReq;
  const cancelled = new AbortController();
  const over = new AbortController();
  const cancel = (): void => {
    cancelled.abort();
    over.abort();
  };
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const kinds = isModern ? askKindsIn(ctx) : [];
  const open = kinds.length === 0 ? null : context.openCalls.open(kinds, name, exchange.caller.key, over.signal);
  const answerer =
    open?.answerer ??
    (session === null ? null : answererOfSession(session, { servers, member: exchange.caller.member }, send, over.signal));
  const finished = run(answerer, cancelled.signal).finally(() => over.abort());
  return open === null ? finished : open.round(finished, cancel);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
