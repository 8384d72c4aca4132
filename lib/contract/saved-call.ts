import { z } from 'zod';
import { CALL_ERROR_KINDS, CALL_STATUSES, callSchema } from './call.ts';
import { LIMITS } from './limits.ts';

/** What must come of a saved call; with it the saved call is a check. Everything that is named must hold. */
export const expectationSchema = z.strictObject({
  /** `succeeded` when left out. */
  status: z.enum(CALL_STATUSES).exclude(['running']).optional(),
  error_kind: z.enum(CALL_ERROR_KINDS).optional(),
  /** With `succeeded`: a refusal in words is as good, `execution_error` or `invalid_parameters` without a stack trace. */
  or_refused: z.boolean().optional(),
  /** Objects may have more members than are named here; lists and all else must be the same. */
  result_includes: z.unknown().optional(),
  /** A JSON Schema that the result must fit. */
  result_schema: z.record(z.string(), z.unknown()).optional(),
});
export type Expectation = z.infer<typeof expectationSchema>;

export const savedRunSchema = z.object({
  call_id: z.string(),
  ran_at: z.iso.datetime(),
  revision: z.number().int().nullable(),
  status: z.enum(CALL_STATUSES),
  /** Null where nothing is expected. */
  passed: z.boolean().nullable(),
  /** Why it did not pass, in words; null when it did. */
  failed_because: z.string().nullable(),
});
export type SavedRun = z.infer<typeof savedRunSchema>;

export const savedCallSchema = z.object({
  id: z.string(),
  tool: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  /** JSON Pointers of secrets that were given and not kept; they must be given anew for each run. */
  left_out: z.array(z.string()),
  timeout_ms: z.number().int().nullable(),
  expectation: expectationSchema.nullable(),
  /** A check that each new revision of the tool's extension must pass before it takes calls. */
  required: z.boolean(),
  /** As it is saved now; null before the first run and after a change of arguments or expectation. */
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

/** What is not named stays; `expectation: null` makes it an ordinary saved call again, which cannot be required. */
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

/** Arguments in place of those that were saved, for this run: where secrets were left out they are needed. */
export const runSavedCallSchema = z.strictObject({ arguments: args.optional() });

export const savedCallOutcomeSchema = z.object({ saved_call: savedCallSchema, call: callSchema });
export type SavedCallOutcome = z.infer<typeof savedCallOutcomeSchema>;
