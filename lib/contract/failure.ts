import { z } from 'zod';
import { FAILURE_CODES, STAGES } from './failure-codes.ts';
import type { FailureCode } from './failure-codes.ts';

const CODES = Object.keys(FAILURE_CODES) as [FailureCode, ...FailureCode[]];

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
});
export type Failure = z.infer<typeof failureSchema>;
