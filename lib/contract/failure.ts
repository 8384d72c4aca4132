import * as z from 'zod';
import { FAILURE_CODES, type FailureCode, STAGES } from './failure-codes.ts';

const CODES = Object.keys(FAILURE_CODES) as [FailureCode, ...FailureCode[]];

/** A failed required check. Texts are redacted JSON, truncated to LIMITS.failedCheckBytes each. */
export const failedCheckSchema = z.object({
  saved_call_id: z.string(),
  tool: z.string(),
  name: z.string(),
  /** Reason. */
  reason: z.string(),
  expected: z.string(),
  /** Status with result or error; null if it did not run. */
  came: z.string().nullable(),
});
export type FailedCheck = z.infer<typeof failedCheckSchema>;

/** A load failure, or a failure at run time (`stage: "run"`). Lines and columns start at 1. */
export const failureSchema = z.object({
  id: z.string(),
  extension: z.string(),
  revision: z.number().int().nullable(),
  /** One line, for older clients. */
  error: z.string(),
  stage: z.enum(STAGES),
  code: z.enum(CODES),
  message: z.string(),
  hint: z.string(),
  /** Relative to the extensions folder. */
  file: z.string().nullable(),
  line: z.number().int().nullable(),
  column: z.number().int().nullable(),
  /** Code frame: `  3 | code`, the failing line marked with `>`, a caret line below it. */
  code_frame: z.string().nullable(),
  /** The extension's own frames first, in source positions. */
  stack: z.string().nullable(),
  /** End of the output. */
  output: z.string().nullable(),
  fingerprint: z.string(),
  group_id: z.string(),
  snapshot_version: z.number().int(),
  first_seen: z.iso.datetime(),
  last_seen: z.iso.datetime(),
  count: z.number().int(),
  /** The server on which it happened last; absent for failures of versions before instances. */
  instance: z.string().exactOptional(),
  /** Only for `check_failed`; the first LIMITS.failedChecksKept. */
  failed_checks: z.array(failedCheckSchema).exactOptional(),
});
export type Failure = z.infer<typeof failureSchema>;

const STACK = /\n\s+at .+:\d+:\d+\)?|\n {2}File ".+", line \d+/;

/** Whether a message contains a JavaScript or Python stack trace. */
export function hasStackTrace(message: string): boolean {
  return STACK.test(message);
}
