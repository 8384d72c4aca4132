import { LIMITS } from '#lib/contract/limits.ts';
import { PROBLEMS } from '#lib/contract/problems.ts';
import type { ProblemCode } from '#lib/contract/problems.ts';
import { IDEMPOTENCY_KEY } from './idempotency-key.ts';
import type { Operation } from './operation.ts';
import type { Route } from './routes.ts';
import { refusesUnread } from './unread-query.ts';

/**
 * Parts of the OpenAPI document that routes and tools have in common: what a client may say besides, and what can come of it.
 * What follows from the route table is said here once, so an operation names its own refusals alone.
 */

type JsonObject = Record<string, unknown>;

const text = { type: 'string' };
const seconds = { type: 'integer', minimum: 0 };

/** Those of the answers, by name; a client may count on none of them being there. */
const HEADERS = {
  'Retry-After': { description: 'Seconds after which to ask again.', schema: seconds },
  'WWW-Authenticate': { description: 'How to say who asks; names what is wrong with a token that was sent.', schema: text },
  Location: { description: 'Where it is to be found.', schema: text },
  'Preference-Applied': { description: '`respond-async`, where that was asked for.', schema: text },
  'Idempotency-Replayed': { description: '`true`: it had run before, and this is its record.', schema: text },
  'Content-Disposition': { description: 'The name of the file.', schema: text },
} as const;

/** Any request can be refused for these. */
const ALWAYS: readonly ProblemCode[] = [
  'request_malformed',
  'sign_in_needed',
  'origin_refused',
  'request_refused',
  'not_allowed',
  'host_refused',
  'too_many_attempts',
  'internal_error',
  'not_ready',
  'shutting_down',
  'storage_unavailable',
];
const WRITING: readonly ProblemCode[] = ['too_many_requests', 'storage_full'];
const WITH_BODY: readonly ProblemCode[] = [
  'body_invalid',
  'body_too_deep',
  'body_key_forbidden',
  'body_too_large',
  'media_type_unsupported',
  'body_fields_invalid',
];
const WITH_KEY: readonly ProblemCode[] = [
  'idempotency_key_running',
  'idempotent_call_gone',
  'idempotency_key_reused',
  'too_many_idempotency_keys',
];
const FOR_ADMIN: readonly ProblemCode[] = ['admin_token_invalid'];

type Asked = Pick<Route, 'action' | 'lane' | 'method'>;

function isCall({ lane, action }: Pick<Route, 'lane' | 'action'>): boolean {
  return lane === 'call' || action === 'calls.replay' || action === 'saved_calls.run';
}

/** What a client may say besides. */
export function headerParameters(route: Asked): JsonObject[] {
  if (route.lane === 'events') return [{ name: 'Last-Event-ID', in: 'header', description: 'Resume after this event.', schema: text }];
  if (route.method === 'GET') return [];
  const actor = { name: 'x-actor', in: 'header', description: 'Who asks, for the history; percent-encoded UTF-8.', schema: text };
  const prefer = { name: 'Prefer', in: 'header', description: '`respond-async`: answer with the running call.', schema: text };
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Run once, however often this is sent with the same key.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyLength, pattern: IDEMPOTENCY_KEY.source },
  };
  return isCall(route) ? [actor, prefer, key] : [actor];
}

export function responsesOf(route: Route, operation: Operation): JsonObject {
  const { answer } = operation;
  const refusals = refusalsOf(route, operation);
  if (typeof answer !== 'string') return { ...otherAnswer(answer), ...refusals };
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${answer}` } } };
  return {
    ...successOf(route, content, answer),
    ...refusals,
    ...(route.lane === 'ready' ? { '503': notReady(content, refusals['503']) } : {}),
  };
}

/** Answers with what was asked for. */
export function successOf(route: Route, content: JsonObject, description = 'The call, however it ended'): JsonObject {
  return {
    '200': { description, content, ...(isCall(route) ? headers('Idempotency-Replayed') : {}) },
    ...(isCall(route) ? { '202': { description: 'The call has begun.', content, ...headers('Location', 'Preference-Applied') } } : {}),
  };
}

function otherAnswer(answer: Exclude<Operation['answer'], string>): JsonObject {
  if ('redirects' in answer) return { '303': { description: answer.redirects, ...headers('Location') } };
  const { mediaTypes, description } = answer;
  const content = Object.fromEntries(
    mediaTypes.map((type) => [type, { schema: { type: type === 'application/json' ? 'object' : 'string' } }]),
  );
  return { '200': { description, content, ...(mediaTypes.includes('text/csv') ? headers('Content-Disposition') : {}) } };
}

/** How it is, or why it is not said. */
function notReady(content: JsonObject, problem: JsonObject | undefined): JsonObject {
  const refusal: unknown = problem?.['content'];
  return {
    ...problem,
    description: 'Not ready yet, or stopping.',
    content: { ...content, ...(typeof refusal === 'object' ? refusal : {}) },
  };
}

function problemsOf(route: Route, operation: Operation): readonly ProblemCode[] {
  return [
    ...ALWAYS,
    ...(route.body === 'none' ? [] : WITH_BODY),
    ...(route.method === 'GET' ? [] : WRITING),
    ...(refusesUnread(route) ? (['query_invalid'] as const) : []),
    ...(route.access === 'open' ? [] : FOR_ADMIN),
    ...(isCall(route) ? WITH_KEY : []),
    ...(operation.problems ?? []),
  ];
}

/** By status, each with the codes that can stand in it. */
export function refusalsOf(route: Route, operation: Operation): Readonly<Record<string, JsonObject>> {
  const byStatus = Map.groupBy(new Set(problemsOf(route, operation)), (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, listed]) => [
      String(status),
      {
        description: listed.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('; '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        ...headersOfRefusals(listed),
      },
    ]),
  );
}

function headersOfRefusals(codes: readonly ProblemCode[]): JsonObject {
  const names: (keyof typeof HEADERS)[] = [];
  if (codes.includes('sign_in_needed')) names.push('WWW-Authenticate');
  const isOfTheMoment = codes.some((code) => code === 'idempotency_key_running' || [429, 503].includes(PROBLEMS[code].status));
  if (isOfTheMoment) names.push('Retry-After');
  return names.length === 0 ? {} : headers(...names);
}

function headers(...names: readonly (keyof typeof HEADERS)[]): { readonly headers: JsonObject } {
  return { headers: Object.fromEntries(names.map((name) => [name, HEADERS[name]])) };
}
