import { z } from 'zod';
import { callIssueSchema } from './call.ts';

export const revisionPairSchema = z.strictObject({
  from: z.coerce.number().int().positive(),
  to: z.coerce.number().int().positive(),
});
export type RevisionPair = z.infer<typeof revisionPairSchema>;

/** One thing that is different for those who call the tool. `path`: JSON Pointer into its parameters; "" is the tool itself. */
export const contractChangeSchema = z.object({ path: z.string(), breaking: z.boolean(), message: z.string() });
export type ContractChange = z.infer<typeof contractChangeSchema>;

/** `breaking`: a call that was right before may be refused or mean something else now. */
export const toolChangeSchema = z.object({
  tool: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  breaking: z.boolean(),
  changes: z.array(contractChangeSchema),
});
export type ToolChange = z.infer<typeof toolChangeSchema>;

/** `issues` is empty where the tool itself is gone. */
export const refusedSavedCallSchema = z.object({
  saved_call_id: z.string(),
  name: z.string(),
  tool: z.string(),
  /** A check that each new revision must pass. */
  required: z.boolean(),
  tool_gone: z.boolean(),
  issues: z.array(callIssueSchema),
});
export type RefusedSavedCall = z.infer<typeof refusedSavedCallSchema>;

/** Two revisions of one extension side by side: sources, what callers see, and recent and saved calls that the second would refuse. */
export const revisionComparisonSchema = z.object({
  extension: z.string(),
  from: z.number().int(),
  to: z.number().int(),
  /**
   * Null where a revision is older than those whose sources are kept. `unread`: it is in one of the two alone, and the other
   * failed before all its files were read, so it may be there as well.
   */
  files: z
    .array(z.object({ path: z.string(), before: z.string().nullable(), after: z.string().nullable(), unread: z.boolean() }))
    .nullable(),
  /** Null where one of the two never loaded, so that what it offered is not known. */
  tools: z.array(toolChangeSchema).nullable(),
  breaking: z.boolean(),
  /** How many recent calls were tried against the second revision without running them; null when it cannot run. */
  checked_calls: z.number().int().nullable(),
  refused: z.array(z.object({ call_id: z.string(), tool: z.string(), issues: z.array(callIssueSchema) })),
  /** The same of saved calls; those of tools that are gone are refused without a try, and counted. */
  checked_saved_calls: z.number().int().nullable(),
  refused_saved_calls: z.array(refusedSavedCallSchema),
});
export type RevisionComparison = z.infer<typeof revisionComparisonSchema>;
