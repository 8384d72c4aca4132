import { z } from 'zod';
import { FAILURE_CODES, STAGES } from './failure-codes.ts';
import type { FailureCode } from './failure-codes.ts';

const CODES = Object.keys(FAILURE_CODES) as [FailureCode, ...FailureCode[]];

/** A required check that a new revision did not pass. Texts are JSON without secrets, cut to LIMITS.failedCheckBytes each. */
export const failedCheckSchema = z.object({
  saved_call_id: z.string(),
  tool: z.string(),
  name: z.string(),
  /** Why it did not pass, in words. */
  reason: z.string(),
  expected: z.string(),
  /** How the call ended, with its result or its error; null when it was not made. */
  came: z.string().nullable(),
});
export type FailedCheck = z.infer<typeof failedCheckSchema>;

/** A load failure, or an incident of a running extension (`stage: "run"`). Lines and columns count from 1. */
export const failureSchema = z.object({
  id: z.string(),
  extension: z.string(),
  revision: z.number().int().nullable(),
  /** The one-line text that older clients read. */
  error: z.string(),
  stage: z.enum(STAGES),
  code: z.enum(CODES),
  message: z.string(),
  hint: z.string(),
  /** Relative to the extensions folder. */
  file: z.string().nullable(),
  line: z.number().int().nullable(),
  column: z.number().int().nullable(),
  /** Source lines around the fault: `  3 | code`, the faulty line marked with `>`, a caret line below it. */
  code_frame: z.string().nullable(),
  /** The extension's own frames first, in source positions. */
  stack: z.string().nullable(),
  /** Tail of what the process printed. */
  output: z.string().nullable(),
  fingerprint: z.string(),
  group_id: z.string(),
  snapshot_version: z.number().int(),
  first_seen: z.iso.datetime(),
  last_seen: z.iso.datetime(),
  count: z.number().int(),
  /** With the code `check_failed` alone; the first LIMITS.failedChecksKept. */
  failed_checks: z.array(failedCheckSchema).exactOptional(),
});
export type Failure = z.infer<typeof failureSchema>;
