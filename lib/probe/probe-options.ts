import * as z from 'zod';
import { CALL_ERROR_KINDS, CALL_STATUSES } from '#lib/contract/states.ts';
import { probeReportSchema } from '#lib/contract/probe.ts';
import { jsonSchemaSchema } from '#lib/contract/tool.ts';

/** Messages to and from the generator thread. */
export const probeJobSchema = z.object({
  tool: z.object({ name: z.string(), parameters: jsonSchemaSchema, examples: z.array(z.unknown()) }),
  options: z.object({ runs: z.number(), seed: z.number(), timeoutMs: z.number(), slowMs: z.number() }),
});
export type ProbeJob = z.infer<typeof probeJobSchema>;

/** Parts of a call that are judged. */
export const endedCallSchema = z.object({
  id: z.string(),
  status: z.enum(CALL_STATUSES),
  error: z.object({ kind: z.enum(CALL_ERROR_KINDS), message: z.string() }).nullable(),
  /** Its process was killed for an earlier unresponsive call: it says nothing about these arguments. */
  isBystander: z.boolean().optional(),
  duration_ms: z.number().nullable(),
});
export type EndedCall = z.infer<typeof endedCallSchema>;

export const probeMessageSchema = z.discriminatedUnion('type', [
  /** Loaded; the first arguments are being generated. */
  z.object({ type: z.literal('started') }),
  /** Requests a call; `report` has the findings so far. */
  z.object({ type: z.literal('call'), arguments: z.record(z.string(), z.unknown()), report: probeReportSchema }),
  z.object({ type: z.literal('done'), report: probeReportSchema }),
]);
export type ProbeMessage = z.infer<typeof probeMessageSchema>;
