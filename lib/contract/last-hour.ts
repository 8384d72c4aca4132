import * as z from 'zod';

/** Calls of an interval; `failed` and `timed_out` are separate, because lists filter by status. */
const hourCountsSchema = z.object({
  calls: z.number().int(),
  failed: z.number().int(),
  timed_out: z.number().int(),
  /** Of finished calls, within 5 %; null without any. */
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
});
export type HourCounts = z.infer<typeof hourCountsSchema>;

const toolOfHourSchema = hourCountsSchema.extend({ tool: z.string() });
export type ToolOfHour = z.infer<typeof toolOfHourSchema>;

/** `calls`, `failed` and `timed_out` as above. */
const extensionOfHourSchema = hourCountsSchema.pick({ calls: true, failed: true, timed_out: true }).extend({
  extension: z.string(),
  /** Per interval of `intervals`; failures include timeouts. */
  interval_calls: z.array(z.number().int()),
  interval_failures: z.array(z.number().int()),
});
export type ExtensionOfHour = z.infer<typeof extensionOfHourSchema>;

/** The answer of `GET /calls/last-hour`. */
export const lastHourSchema = z.object({
  /** The previous hour is `before` to `since`, the last one `since` to `until`. */
  before: z.iso.datetime(),
  since: z.iso.datetime(),
  until: z.iso.datetime(),
  last: hourCountsSchema,
  previous: hourCountsSchema,
  /** Five-minute intervals of the last hour, oldest first; the first and last are shorter. */
  intervals: z.array(
    z.object({
      since: z.iso.datetime(),
      until: z.iso.datetime(),
      calls: z.number().int(),
      failed: z.number().int(),
      timed_out: z.number().int(),
    }),
  ),
  /** Number of called tools. */
  tools: z.number().int(),
  /** Tools with most failures, ten at most. */
  failing: z.array(toolOfHourSchema),
  /** Tools with the highest p95, ten at most. */
  slowest: z.array(toolOfHourSchema),
  /** Number of called extensions. */
  called_extensions: z.number().int(),
  /** By number of calls; a thousand at most. */
  extensions: z.array(extensionOfHourSchema),
});
export type LastHour = z.infer<typeof lastHourSchema>;
