import * as z from 'zod';
import { CALL_ERROR_KINDS, CALL_STATUSES, callSchema } from './call.ts';
import { LIMITS } from './limits.ts';

/** Expected outcome; makes a saved call a check. All conditions must hold. */
export const expectationSchema = z.strictObject({
  /** `succeeded` by default. */
  status: z.enum(CALL_STATUSES).exclude(['running']).optional(),
  error_kind: z.enum(CALL_ERROR_KINDS).optional(),
  /** With `succeeded`: `execution_error` or `invalid_parameters` without a stack trace also passes. */
  or_refused: z.boolean().optional(),
  /** Objects may have more members; everything else must be equal. */
  result_includes: z.unknown().optional(),
  /** JSON Schema of the result. */
  result_schema: z.record(z.string(), z.unknown()).optional(),
});
export type Expectation = z.infer<typeof expectationSchema>;

export const savedRunSchema = z.object({
  call_id: z.string(),
  ran_at: z.iso.datetime(),
  revision: z.number().int().nullable(),
  status: z.enum(CALL_STATUSES),
  /** Null without an expectation. */
  passed: z.boolean().nullable(),
  /** Why it failed, or null. */
  failed_because: z.string().nullable(),
});
export type SavedRun = z.infer<typeof savedRunSchema>;

export const savedCallSchema = z.object({
  id: z.string(),
  tool: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  /** JSON Pointers of secrets, which are not saved; each run needs them. */
  left_out: z.array(z.string()),
  timeout_ms: z.number().int().nullable(),
  expectation: expectationSchema.nullable(),
  /** A check that every new revision must pass before it serves. */
  required: z.boolean(),
  /** Null before the first run and after a change of arguments or expectation. */
  last_run: savedRunSchema.nullable(),
  created_by: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type SavedCall = z.infer<typeof savedCallSchema>;

export const savedCallListSchema = z.object({ saved_calls: z.array(savedCallSchema) });
export type SavedCallList = z.infer<typeof savedCallListSchema>;

const name = z.string().trim().min(1).max(LIMITS.savedCallNameLength);
const args = z.record(z.string(), z.unknown());
const timeoutMs = z.number().int().min(1).max(LIMITS.callTimeoutMostMs).nullable();

export const saveCallSchema = z.strictObject({
  tool: z.string(),
  name,
  arguments: args.default({}),
  timeout_ms: timeoutMs.default(null),
  expectation: expectationSchema.nullable().default(null),
  required: z.boolean().default(false),
});
export type SaveCall = z.infer<typeof saveCallSchema>;
/** As it is sent: fields with a default may be missing. */
export type SaveCallBody = z.input<typeof saveCallSchema>;

/** Omitted fields stay; `expectation: null` removes the expectation and the requirement. */
export const savedCallChangeSchema = z.strictObject({
  name: name.optional(),
  arguments: args.optional(),
  timeout_ms: timeoutMs.optional(),
  expectation: expectationSchema.nullable().optional(),
  required: z.boolean().optional(),
});
export type SavedCallChange = z.infer<typeof savedCallChangeSchema>;

/** The query of `GET /saved-calls`. */
export const savedCallFilterSchema = z.strictObject({ tool: z.string() });

/** Replace the saved arguments for this run; needed if secrets were left out. */
export const runSavedCallSchema = z.strictObject({ arguments: args.optional() });

export const savedCallOutcomeSchema = z.object({ saved_call: savedCallSchema, call: callSchema });
export type SavedCallOutcome = z.infer<typeof savedCallOutcomeSchema>;
