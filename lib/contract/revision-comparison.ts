import * as z from 'zod';
import { callIssueSchema } from './call.ts';

export const revisionPairSchema = z.strictObject({
  from: z.coerce.number().int().positive(),
  to: z.coerce.number().int().positive(),
});
export type RevisionPair = z.infer<typeof revisionPairSchema>;

/** A change for callers of the tool. `path`: JSON Pointer into its parameters; "" is the tool itself. */
export const contractChangeSchema = z.object({ path: z.string(), breaking: z.boolean(), message: z.string() });
export type ContractChange = z.infer<typeof contractChangeSchema>;

/** `breaking`: a previously valid call may be rejected or have another meaning. */
export const toolChangeSchema = z.object({
  tool: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  breaking: z.boolean(),
  changes: z.array(contractChangeSchema),
});
export type ToolChange = z.infer<typeof toolChangeSchema>;

/** `issues` is empty if the tool was removed. */
export const refusedSavedCallSchema = z.object({
  saved_call_id: z.string(),
  name: z.string(),
  tool: z.string(),
  /** A required check. */
  required: z.boolean(),
  tool_gone: z.boolean(),
  issues: z.array(callIssueSchema),
});
export type RefusedSavedCall = z.infer<typeof refusedSavedCallSchema>;

/** Comparison of two revisions: sources, changes for callers, and recent and saved calls that the second would reject. */
export const revisionComparisonSchema = z.object({
  extension: z.string(),
  from: z.number().int(),
  to: z.number().int(),
  /**
   * Null if the sources of a revision are not stored. `unread`: the file is in one revision only, and the other failed before
   * all its files were read, so it may contain it too.
   */
  files: z
    .array(z.object({ path: z.string(), before: z.string().nullable(), after: z.string().nullable(), unread: z.boolean() }))
    .nullable(),
  /** Null if one of the two never loaded. */
  tools: z.array(toolChangeSchema).nullable(),
  breaking: z.boolean(),
  /** Recent calls validated against the second revision; null if it cannot run. */
  checked_calls: z.number().int().nullable(),
  refused: z.array(z.object({ call_id: z.string(), tool: z.string(), issues: z.array(callIssueSchema) })),
  /** The same for saved calls; those of removed tools count as rejected. */
  checked_saved_calls: z.number().int().nullable(),
  refused_saved_calls: z.array(refusedSavedCallSchema),
});
export type RevisionComparison = z.infer<typeof revisionComparisonSchema>;
