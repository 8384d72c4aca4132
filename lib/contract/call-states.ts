/** Sources and statuses of calls. Separate from the schemas, so pages with filters load less. */
export const CALL_SOURCES = ['web', 'api', 'mcp', 'channel', 'cli'] as const;
export const CALL_STATUSES = ['running', 'succeeded', 'failed', 'timed_out', 'cancelled'] as const;
export const CALL_ERROR_KINDS = [
  'invalid_parameters',
  'execution_error',
  'schema_error',
  'not_found',
  'timeout',
  'cancelled',
  'extension_crashed',
  'extension_unavailable',
  'result_not_serializable',
  'result_too_large',
] as const;
export type CallSource = (typeof CALL_SOURCES)[number];
export type CallStatus = (typeof CALL_STATUSES)[number];
export type CallErrorKind = (typeof CALL_ERROR_KINDS)[number];

/** Maximum length of a search. */
export const CALL_SEARCH_MOST = 500;
