/**
 * Every way a request can be refused before it becomes work: code → HTTP status and title.
 * The `type` of the problem document is `/docs/errors#<code>`; each code has an entry in docs/errors.md.
 */
export const PROBLEMS = {
  body_invalid: { status: 400, title: 'The body is not valid JSON' },
  body_too_deep: { status: 400, title: 'The body is nested too deeply' },
  body_key_forbidden: { status: 400, title: 'The body has a key that is not accepted' },
  request_malformed: { status: 400, title: 'The request is malformed' },
  admin_token_invalid: { status: 403, title: 'invalid admin token' },
  origin_refused: { status: 403, title: 'Requests from other origins are refused' },
  request_refused: { status: 403, title: 'This kind of request is refused' },
  not_found: { status: 404, title: 'There is nothing at this address' },
  tool_not_found: { status: 404, title: 'There is no such tool' },
  extension_not_found: { status: 404, title: 'There is no such extension' },
  call_not_found: { status: 404, title: 'There is no such call' },
  failure_not_found: { status: 404, title: 'There is no such failure' },
  revision_not_found: { status: 404, title: 'There is no such revision' },
  channel_not_found: { status: 404, title: 'There is no such channel' },
  message_not_found: { status: 404, title: 'There is no such message' },
  snapshot_not_found: { status: 404, title: 'There is no such snapshot' },
  method_not_allowed: { status: 405, title: 'This method is not supported here' },
  not_acceptable: { status: 406, title: 'The answer would be in a form that is not accepted' },
  idempotency_key_running: { status: 409, title: 'The first request with this key is still running' },
  state_conflict: { status: 409, title: 'The present state does not allow this' },
  body_too_large: { status: 413, title: 'The body is too large' },
  media_type_unsupported: { status: 415, title: 'The body must be application/json' },
  host_refused: { status: 421, title: 'This server does not answer for that host' },
  body_fields_invalid: { status: 422, title: 'The body does not fit' },
  query_invalid: { status: 422, title: 'A query parameter does not fit' },
  idempotency_key_reused: { status: 422, title: 'This key was used for another request' },
  redacted_arguments: { status: 422, title: 'The arguments were redacted' },
  too_many_attempts: { status: 429, title: 'Too many wrong attempts' },
  too_many_calls: { status: 429, title: 'Too many calls are waiting' },
  too_many_messages: { status: 429, title: 'Too many messages are waiting' },
  internal_error: { status: 500, title: 'The server made a mistake' },
  not_ready: { status: 503, title: 'The server is starting' },
  too_many_streams: { status: 503, title: 'Too many event streams are open' },
  shutting_down: { status: 503, title: 'The server is stopping' },
  storage_unavailable: { status: 503, title: 'The database is locked' },
  storage_full: { status: 507, title: 'The disk is full' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;
