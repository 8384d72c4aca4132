import * as z from 'zod';

/**
 * Requests of an MCP server to the caller of its tool, prompt or resource: to fill in a form or open a URL (elicitation), to run a
 * language model (sampling), or to list its folders (roots). JSON of the protocol.
 */
export const clientAskSchema = z.object({
  method: z.enum(['elicitation/create', 'sampling/createMessage', 'roots/list']),
  params: z.record(z.string(), z.unknown()),
});
export type ClientAsk = z.infer<typeof clientAskSchema>;

export const ASK_KINDS = ['form', 'url', 'sampling', 'sampling.tools', 'sampling.context', 'roots'] as const;
export type AskKind = (typeof ASK_KINDS)[number];

/** A person on a page has no roots. */
export const PERSON_KINDS: readonly AskKind[] = ['form', 'url', 'sampling'];

export const askReplySchema = z.union([
  z.object({ ok: z.literal(true), result: z.record(z.string(), z.unknown()) }),
  z.object({ ok: z.literal(false), error: z.object({ code: z.number().int(), message: z.string() }) }),
]);
export type AskReply = z.infer<typeof askReplySchema>;

/** A caller that can answer. */
export interface Answerer {
  readonly kinds: readonly AskKind[];
  /** Never rejects. */
  answer(ask: ClientAsk): Promise<AskReply>;
}

export function kindOfAsk({ method, params }: ClientAsk): AskKind {
  if (method === 'sampling/createMessage')
    return params['tools'] === undefined && params['toolChoice'] === undefined ? 'sampling' : 'sampling.tools';
  if (method === 'roots/list') return 'roots';
  return params['mode'] === 'url' ? 'url' : 'form';
}

/** Kinds of requests in the capabilities of a client. */
export function askKindsOf(capabilities: unknown): readonly AskKind[] {
  const parsed = capabilitiesSchema.safeParse(capabilities);
  if (!parsed.success) return [];
  const { elicitation, sampling, roots } = parsed.data;
  // An empty capability is that of the first version, which had forms only.
  const isFirst = elicitation !== undefined && elicitation.form === undefined && elicitation.url === undefined;
  return [
    ...(elicitation?.form !== undefined || isFirst ? (['form'] as const) : []),
    ...(elicitation?.url === undefined ? [] : (['url'] as const)),
    ...(sampling === undefined ? [] : (['sampling'] as const)),
    ...(sampling?.tools === undefined ? [] : (['sampling.tools'] as const)),
    ...(sampling?.context === undefined ? [] : (['sampling.context'] as const)),
    ...(roots === undefined ? [] : (['roots'] as const)),
  ];
}

const capabilitiesSchema = z.looseObject({
  elicitation: z.looseObject({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
  sampling: z.looseObject({ tools: z.unknown().optional(), context: z.unknown().optional() }).optional(),
  roots: z.looseObject({}).optional(),
});

/** Capabilities for a server. */
export function capabilitiesOf(kinds: readonly AskKind[]): {
  elicitation?: { form?: Record<string, never>; url?: Record<string, never> };
  sampling?: { tools?: Record<string, never>; context?: Record<string, never> };
  roots?: Record<string, never>;
} {
  const form = kinds.includes('form') ? { form: {} } : {};
  const url = kinds.includes('url') ? { url: {} } : {};
  const tools = kinds.includes('sampling.tools') ? { tools: {} } : {};
  const context = kinds.includes('sampling.context') ? { context: {} } : {};
  return {
    ...(kinds.includes('form') || kinds.includes('url') ? { elicitation: { ...form, ...url } } : {}),
    ...(kinds.includes('sampling') ? { sampling: { ...tools, ...context } } : {}),
    ...(kinds.includes('roots') ? { roots: {} } : {}),
  };
}

const METHOD_NOT_FOUND = -32_601;

export function refuseAsk(message: string): AskReply {
  return { ok: false, error: { code: METHOD_NOT_FOUND, message } };
}

/** Null if the caller can answer. */
export function askRefusal(ask: ClientAsk, kinds: readonly AskKind[]): AskReply | null {
  const kind = kindOfAsk(ask);
  return kinds.includes(kind) ? null : refuseAsk(`The caller ${CANNOT[kind]}.`);
}

const CANNOT: Readonly<Record<AskKind, string>> = {
  form: 'cannot fill in a form (elicitation)',
  url: 'cannot be sent to an address (elicitation by URL)',
  sampling: 'has no language model to offer (sampling)',
  'sampling.tools': 'has no language model that uses tools (sampling.tools)',
  'sampling.context': 'adds no context of servers to its language model (sampling.context)',
  roots: 'has no folders to offer (roots)',
};

/** An open question of a running call, to the person who runs it. */
export const callQuestionSchema = clientAskSchema.extend({ id: z.string() });
export type CallQuestion = z.infer<typeof callQuestionSchema>;

export const answerRequestSchema = z.strictObject({
  /** Its id. */
  question: z.string(),
  action: z.enum(['accept', 'decline', 'cancel']),
  /** Of a form, by its schema. */
  content: z.record(z.string(), z.unknown()).optional(),
  /** The message that answers a sampling request. */
  text: z.string().optional(),
});
export type AnswerRequest = z.infer<typeof answerRequestSchema>;
