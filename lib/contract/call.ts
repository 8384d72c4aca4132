import * as z from 'zod';
import { type Answerer, callQuestionSchema } from './client-asks.ts';
import { CALL_ERROR_KINDS, CALL_SEARCH_MOST, CALL_SOURCES, CALL_STATUSES } from './states.ts';
import { LIMITS } from './limits.ts';
import type { ServerLog } from './server-features.ts';

export { CALL_ERROR_KINDS, CALL_SOURCES, CALL_STATUSES } from './states.ts';
export type { CallErrorKind, CallSource, CallStatus } from './states.ts';

export const callIssueSchema = z.object({
  /** JSON Pointer into the arguments; "" means all arguments. */
  path: z.string(),
  keyword: z.string(),
  message: z.string(),
});
export type CallIssue = z.infer<typeof callIssueSchema>;

export const callErrorSchema = z.object({
  kind: z.enum(CALL_ERROR_KINDS),
  message: z.string(),
  issues: z.array(callIssueSchema).optional(),
  data: z.unknown().optional(),
});
export type CallError = z.infer<typeof callErrorSchema>;

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export const callLogSchema = z.object({
  time: z.iso.datetime(),
  level: z.enum(LOG_LEVELS),
  message: z.string(),
  /** Null without data. */
  data: z.unknown().default(null),
});
export type CallLog = z.infer<typeof callLogSchema>;
export type LogLevel = CallLog['level'];

/** A log line of a running call; its record has only what is of CallLog. */
export interface WatchedLog extends CallLog {
  /** Of an MCP server, for clients of the protocol. */
  readonly said?: ServerLog | undefined;
  /** It replaces missing lines. */
  readonly isGap?: true | undefined;
}

export const callProgressSchema = z.object({
  done: z.number(),
  total: z.number().nullable(),
  message: z.string().nullable(),
});
export type CallProgress = z.infer<typeof callProgressSchema>;

/** Receives logs and progress of one call, redacted. Must not throw. */
export interface CallWatcher {
  onLog(line: WatchedLog): void;
  onProgress(step: CallProgress): void;
  /** Absent: nobody can answer questions of a server. */
  readonly answerer?: Answerer | undefined;
}

/** Outcome of a call. Without an error, `resultText` is JSON. */
export interface RecordedEnd {
  readonly id: string;
  readonly resultText: string | null;
  readonly error: CallError | null;
}

export const callSchema = z.object({
  id: z.string(),
  tool: z.string(),
  extension: z.string(),
  revision: z.number().int().nullable(),
  snapshot_version: z.number().int(),
  source: z.enum(CALL_SOURCES),
  actor: z.string().nullable(),
  /** Secrets are `"[redacted]"` before the first copy; `redacted` has their JSON Pointers. */
  arguments: z.unknown(),
  redacted: z.array(z.string()),
  status: z.enum(CALL_STATUSES),
  result: z.unknown(),
  error: callErrorSchema.nullable(),
  logs: z.array(callLogSchema),
  logs_truncated: z.boolean(),
  progress: callProgressSchema.nullable(),
  started_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
  duration_ms: z.number().nullable(),
  replay_of: z.string().nullable(),
  /** The server that ran it; null for calls of versions before instances. */
  instance: z.string().nullable(),
  /** Only in lists: arguments or result were truncated to 2 KiB (then JSON text, not a value). */
  truncated: z.boolean().optional(),
  /** Only while it runs and its MCP server waits for answers. */
  questions: z.array(callQuestionSchema).optional(),
});
export type Call = z.infer<typeof callSchema>;

export const callPageSchema = z.object({ calls: z.array(callSchema), next_cursor: z.string().nullable() });
export type CallPage = z.infer<typeof callPageSchema>;

export const callRequestSchema = z.strictObject({
  arguments: z.record(z.string(), z.unknown()).default({}),
  timeout_ms: z.number().int().min(1).max(LIMITS.callTimeoutMostMs).optional(),
  revision: z.number().int().positive().optional(),
});
export type CallRequest = z.infer<typeof callRequestSchema>;

export const replayRequestSchema = z.strictObject({
  arguments: z.record(z.string(), z.unknown()).optional(),
  timeout_ms: callRequestSchema.shape.timeout_ms,
  revision: callRequestSchema.shape.revision,
});

/** One or more statuses: `failed,timed_out`. */
const statusesSchema = z
  .preprocess((given) => (typeof given === 'string' ? given.split(',') : given), z.array(z.enum(CALL_STATUSES)).min(1))
  .meta({ type: 'array', items: { type: 'string', enum: [...CALL_STATUSES] }, minItems: 1 });

/**
 * A time in a query or on the command line: UTC without a zone, a date is its start, a space may replace the `T`, seconds are
 * optional. An unencoded plus in a URL arrives as a space.
 */
export const queryTime = z
  .string()
  .overwrite(written)
  .check(z.iso.datetime({ offset: true }));

function written(given: string): string {
  const text = given
    .replace(/^(\d{4}-\d\d-\d\d) (?=\d\d:)/, '$1T')
    .replace(/ (?=\d\d:\d\d$)/, '+')
    .replace(/(T\d\d:\d\d)(?=$|Z$|[+-])/, '$1:00');
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00Z`;
  return /T[\d:.]+$/.test(text) ? `${text}Z` : text;
}

/** The query of `GET /calls`. `until` is exclusive, `since` inclusive. */
export const callFilterSchema = z.strictObject({
  tool: z.string().optional(),
  extension: z.string().optional(),
  status: statusesSchema.optional(),
  source: z.enum(CALL_SOURCES).optional(),
  actor: z.string().optional(),
  /** Id of the repeated call. */
  replay_of: z.string().optional(),
  /** Id of the server that ran it. */
  instance: z.string().optional(),
  error_kind: z.enum(CALL_ERROR_KINDS).optional(),
  revision: z.coerce.number().int().positive().optional(),
  /** Minimum duration. */
  min_ms: z.coerce.number().min(0).max(1e12).optional(),
  /** Maximum duration. */
  max_ms: z.coerce.number().min(0).max(1e12).optional(),
  q: z.string().max(CALL_SEARCH_MOST).optional(),
  since: queryTime.optional(),
  until: queryTime.optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(LIMITS.listMost).default(LIMITS.listDefault),
});
export type CallFilter = z.infer<typeof callFilterSchema>;

/** Filters of a call list, without paging. */
const callSelectionSchema = callFilterSchema.omit({ cursor: true, limit: true });
export type CallSelection = z.infer<typeof callSelectionSchema>;

/** The query of `GET /calls/stats`. */
export const callStatsQuerySchema = callSelectionSchema.extend({
  buckets: z.coerce.number().int().min(1).max(LIMITS.statsBucketsMost).default(LIMITS.statsBuckets),
});
export type CallStatsQuery = z.infer<typeof callStatsQuerySchema>;

const callCountsSchema = z.object({
  calls: z.number().int(),
  /** Failed or timed out. */
  failed: z.number().int(),
  /** Of finished calls, within 5 %; null without any. */
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
});

export const callStatsSchema = z.object({
  since: z.iso.datetime(),
  until: z.iso.datetime(),
  bucket_ms: z.number().int(),
  /** Oldest first, without gaps. */
  buckets: z.array(callCountsSchema.extend({ at: z.iso.datetime() })),
  total: callCountsSchema,
  /** False if `q` matches too many calls and only the newest are counted. */
  complete: z.boolean(),
});
export type CallStats = z.infer<typeof callStatsSchema>;

/** The query of `GET /calls/export`. */
export const callExportQuerySchema = callSelectionSchema.extend({
  format: z.enum(['ndjson', 'csv']).default('ndjson'),
  /** For CSV: starts with a UTF-8 byte order mark. */
  byte_order_mark: z.stringbool({ truthy: ['true'], falsy: ['false'] }).default(false),
});
