import { z } from 'zod';

/** Calls that began in a stretch of time; `failed` and `timed_out` apart, as a list of calls is narrowed to one status. */
const hourCountsSchema = z.object({
  calls: z.number().int(),
  failed: z.number().int(),
  timed_out: z.number().int(),
  /** Of those that have ended, to within 5 %; null when there are none. */
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
});
export type HourCounts = z.infer<typeof hourCountsSchema>;

const toolOfHourSchema = hourCountsSchema.extend({ tool: z.string() });
export type ToolOfHour = z.infer<typeof toolOfHourSchema>;

/** `calls`, `failed` and `timed_out` as above. */
const extensionOfHourSchema = hourCountsSchema.pick({ calls: true, failed: true, timed_out: true }).extend({
  extension: z.string(),
  /** In each of `intervals`, in their order; failures are the failed and the timed-out calls together. */
  interval_calls: z.array(z.number().int()),
  interval_failures: z.array(z.number().int()),
});
export type ExtensionOfHour = z.infer<typeof extensionOfHourSchema>;

/** The answer of `GET /calls/last-hour`. */
export const lastHourSchema = z.object({
  /** The hour before goes from `before` to `since`, the last one from `since` to `until`. */
  before: z.iso.datetime(),
  since: z.iso.datetime(),
  until: z.iso.datetime(),
  last: hourCountsSchema,
  previous: hourCountsSchema,
  /** The last hour cut at every fifth minute of the clock, oldest first; the first and the last are shorter. */
  intervals: z.array(
    z.object({
      since: z.iso.datetime(),
      until: z.iso.datetime(),
      calls: z.number().int(),
      failed: z.number().int(),
      timed_out: z.number().int(),
    }),
  ),
  /** How many tools were called in the last hour. */
  tools: z.number().int(),
  /** Those of the last hour with failed or timed-out calls, most of them first; ten at most. */
  failing: z.array(toolOfHourSchema),
  /** Those whose slow calls (`p95_ms`) took longest, slowest first; ten at most. */
  slowest: z.array(toolOfHourSchema),
  /** How many extensions had calls in the last hour. */
  called_extensions: z.number().int(),
  /** Those, most calls first; a thousand at most. */
  extensions: z.array(extensionOfHourSchema),
});
export type LastHour = z.infer<typeof lastHourSchema>;
