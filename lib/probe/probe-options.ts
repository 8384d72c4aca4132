import { z } from 'zod';
import { CALL_ERROR_KINDS, CALL_STATUSES } from '#lib/contract/call-states.ts';
import { probeReportSchema } from '#lib/contract/probe.ts';
import { jsonSchemaSchema } from '#lib/contract/tool.ts';

/** What the thread that makes up arguments is told, and what it says. */
export const probeJobSchema = z.object({
  tool: z.object({ name: z.string(), parameters: jsonSchemaSchema, examples: z.array(z.unknown()) }),
  options: z.object({ runs: z.number(), seed: z.number(), timeoutMs: z.number(), slowMs: z.number() }),
});
export type ProbeJob = z.infer<typeof probeJobSchema>;

/** Of a call, what is judged. */
export const endedCallSchema = z.object({
  id: z.string(),
  status: z.enum(CALL_STATUSES),
  error: z.object({ kind: z.enum(CALL_ERROR_KINDS), message: z.string() }).nullable(),
  /** Its process was ended because of an earlier call that had not come back: it says nothing about these arguments. */
  isBystander: z.boolean().optional(),
  duration_ms: z.number().nullable(),
});
export type EndedCall = z.infer<typeof endedCallSchema>;

export const probeWordSchema = z.discriminatedUnion('type', [
  /** All is loaded, and the first arguments are being made up. */
  z.object({ type: z.literal('started') }),
  /** A call is wanted; `report` is all that is known before it. */
  z.object({ type: z.literal('call'), arguments: z.record(z.string(), z.unknown()), report: probeReportSchema }),
  z.object({ type: z.literal('done'), report: probeReportSchema }),
]);
export type ProbeWord = z.infer<typeof probeWordSchema>;
