import * as z from 'zod';
import { LIMITS } from './limits.ts';

/** A probe of a tool with generated arguments. */
export const probeRequestSchema = z.strictObject({
  /** Valid calls; a fifth of that with invalid arguments is added. */
  runs: z.number().int().min(1).max(LIMITS.probeRuns).default(100),
  /** The same seed generates the same arguments. */
  seed: z.number().int().min(0).max(2_147_483_647).optional(),
  /** A longer call is a hang. */
  timeout_ms: z.number().int().min(1).max(10_000).default(5_000),
  /** A longer call is slow. */
  slow_ms: z.number().int().min(1).max(10_000).default(2_000),
  /** Required for destructive tools, and for tools of MCP servers without hints. */
  destructive: z.boolean().default(false),
});
export type ProbeRequest = z.infer<typeof probeRequestSchema>;

/** Kinds of findings. */
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
  /** The smallest arguments found. */
  arguments: z.record(z.string(), z.unknown()),
  message: z.string(),
  call_id: z.string(),
});
export type Finding = z.infer<typeof findingSchema>;

export const probeReportSchema = z.object({
  tool: z.string(),
  calls: z.number().int(),
  /** Answered valid calls; the requested number if complete. */
  answered: z.number().int(),
  /** Repeats the run. */
  seed: z.number().int(),
  /** One per kind, in order of discovery. */
  findings: z.array(findingSchema),
  /** False if fewer calls were answered than requested; then few findings mean little. */
  complete: z.boolean(),
  /** Why it is incomplete, and which parts of the schema are unsupported. */
  notes: z.array(z.string()),
  /** Limits of the run. */
  timeout_ms: z.number().int(),
  slow_ms: z.number().int(),
});
export type ProbeReport = z.infer<typeof probeReportSchema>;
