import { z } from 'zod';
import { LIMITS } from './limits.ts';

/** A run of a tool with made-up arguments. */
export const probeRequestSchema = z.strictObject({
  /** Calls with arguments that fit; a fifth of that with others comes on top. */
  runs: z.number().int().min(1).max(LIMITS.probeRuns).default(100),
  /** The same seed makes up the same arguments. */
  seed: z.number().int().min(0).max(2_147_483_647).optional(),
  /** A call that takes longer hangs. */
  timeout_ms: z.number().int().min(1).max(10_000).default(5_000),
  /** A call that takes longer is slow. */
  slow_ms: z.number().int().min(1).max(10_000).default(2_000),
  /** Needed for a tool that says of itself that it destroys, and for one of an MCP server that does not say that it does not. */
  destructive: z.boolean().default(false),
});
export type ProbeRequest = z.infer<typeof probeRequestSchema>;

/** What no tool should do, whatever it is given. */
export const FINDING_KINDS = [
  'crash',
  'hang',
  'slow',
  'result_breaks_schema',
  'result_unusable',
  'stack_in_message',
  'invalid_accepted',
] as const;

export const findingSchema = z.object({
  kind: z.enum(FINDING_KINDS),
  /** The smallest that was found to do it. */
  arguments: z.record(z.string(), z.unknown()),
  message: z.string(),
  call_id: z.string(),
});
export type Finding = z.infer<typeof findingSchema>;

export const probeReportSchema = z.object({
  tool: z.string(),
  calls: z.number().int(),
  /** Of those with arguments that fit; as many as were asked for when it is complete. */
  answered: z.number().int(),
  /** Gives the same arguments again. */
  seed: z.number().int(),
  /** One of each kind, in the order in which they were found. */
  findings: z.array(findingSchema),
  /** False when fewer calls were answered than were asked for: then little or nothing is known of the tool. */
  complete: z.boolean(),
  /** In words: why it is not complete, and what of the schema could not be followed. */
  notes: z.array(z.string()),
  /** By which it was judged. */
  timeout_ms: z.number().int(),
  slow_ms: z.number().int(),
});
export type ProbeReport = z.infer<typeof probeReportSchema>;
