import { z } from 'zod';
import type { McpHeaders } from '#lib/contract/mcp-exchange.ts';
import type { HostInstances } from '#lib/host/host.ts';
import { takeAnswer } from './caller-answers.ts';
import { HEADERS, LOG_LEVELS } from './protocol.ts';
import { createSessions } from './sessions.ts';
import type { Session, Sessions } from './sessions.ts';

/**
 * Sessions of the 2025 protocols on several servers. The id of a session contains it, so each server serves it; what one of them
 * knows besides is shared by requests between them. What can go wrong:
 * - a message concerns a call or a stream of another server: it is passed on;
 * - a session comes to a server for the first time: the others are asked for its log level, and whether it was ended;
 * - the server with its subscriptions dies: they are lost, as after a restart.
 */
const requestSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('look'), id: z.string() }),
  z.object({ do: z.literal('end'), id: z.string() }),
  z.object({ do: z.literal('level'), id: z.string(), level: z.enum(LOG_LEVELS) }),
  z.object({ do: z.literal('cancel'), id: z.string(), request: z.union([z.string(), z.number()]) }),
  z.object({
    do: z.literal('answer'),
    id: z.string(),
    to: z.string(),
    reply: z.discriminatedUnion('ok', [
      z.object({ ok: z.literal(true), result: z.record(z.string(), z.unknown()) }),
      z.object({ ok: z.literal(false), error: z.object({ code: z.number(), message: z.string() }) }),
    ]),
  }),
  z.object({ do: z.literal('unsubscribe'), id: z.string(), uri: z.string() }),
  z.object({ do: z.literal('roots'), id: z.string() }),
  z.object({
    do: z.literal('send'),
    id: z.string(),
    message: z.object({ id: z.string().optional(), method: z.string(), params: z.record(z.string(), z.unknown()) }),
  }),
]);
type PeerRequest = z.infer<typeof requestSchema>;
const knownSchema = z.object({ isEnded: z.boolean(), level: z.enum(LOG_LEVELS) });

export interface SharedSessions extends Sessions {
  /** Before a message of a session that may be new here. */
  prepare(headers: McpHeaders): Promise<void>;
}

const KIND = 'mcp';
const LOOK_MS = 1_000;
const PASS_ON_MS = 5_000;

/** @param onRoots called when the roots of a session changed, and another server was notified */
export function createSharedSessions(
  instances: Pick<HostInstances, 'askOthers' | 'answer'>,
  onRoots: (session: Session) => void,
): SharedSessions {
  const passOn = (request: PeerRequest): void => void instances.askOthers(KIND, request, PASS_ON_MS).catch(() => undefined);
  const sessions = createSessions({ passOn: ({ id }, change) => passOn({ ...change, id }) });

  function apply(request: PeerRequest, session: Session): void {
    switch (request.do) {
      case 'look':
        return;
      case 'end':
        return sessions.end(session);
      case 'level':
        session.logLevel = request.level;
        return;
      case 'cancel':
        return session.calls.get(request.request)?.cancel();
      case 'answer':
        return void takeAnswer(session, request.to, request.reply);
      case 'unsubscribe':
        session.subscriptions.get(request.uri)?.();
        return void session.subscriptions.delete(request.uri);
      case 'roots':
        return onRoots(session);
      case 'send':
        return session.stream?.send(request.message);
    }
  }

  instances.answer(KIND, async (payload) => {
    const request = requestSchema.parse(payload);
    const session = sessions.known(request.id);
    if (request.do === 'look') {
      const isEnded = sessions.isEnded(request.id);
      return session === null && !isEnded ? null : { isEnded, level: session?.logLevel ?? 'info' };
    }
    if (session !== null) apply(request, session);
    return null;
  });

  return {
    ...sessions,
    end(session) {
      sessions.end(session);
      passOn({ do: 'end', id: session.id });
    },
    async prepare(headers) {
      const id = headers.header(HEADERS.session);
      if (id === undefined || sessions.known(id) !== null || sessions.isEnded(id)) return;
      const answers = (await instances.askOthers(KIND, { do: 'look', id }, LOOK_MS)).map((answer) => knownSchema.safeParse(answer).data);
      const found = answers.filter((answer) => answer !== undefined);
      const session = found.length === 0 ? null : sessions.find(id, headers.caller.key);
      if (session === null) return;
      session.logLevel = found.find(({ level }) => level !== 'info')?.level ?? 'info';
      if (found.some(({ isEnded }) => isEnded)) sessions.end(session);
    },
  };
}
