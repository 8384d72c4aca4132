import { z } from 'zod';
import { LIMITS } from './limits.ts';
import { extensionLogLineSchema } from './extension.ts';

/** The query of `GET /extensions/{id}/logs`. */
export const extensionLogQuerySchema = z.strictObject({
  /** `cursor` of the previous answer: only newer lines. */
  after: z.string().max(200).optional(),
});
export type ExtensionLogQuery = z.infer<typeof extensionLogQuerySchema>;

export const extensionLogPageSchema = z.object({
  /** Revision of this log; null if nothing serves. */
  revision: z.number().int().nullable(),
  /** Oldest first. */
  lines: z.array(extensionLogLineSchema),
  cursor: z.string(),
  /** A new revision serves, so the lines start at its beginning. */
  restarted: z.boolean(),
  /** Dropped lines between `after` (or the beginning) and these. */
  dropped: z.number().int(),
});
export type ExtensionLogPage = z.infer<typeof extensionLogPageSchema>;

const resourceSampleSchema = z.object({
  at: z.iso.datetime(),
  revision: z.number().int(),
  /** Resident memory of the process and its children. */
  memory_bytes: z.number(),
  /** Of one core, since the previous sample; null for the first. */
  cpu_percent: z.number().nullable(),
});
export type ResourceSample = z.infer<typeof resourceSampleSchema>;

/** Process metrics: the answer of `GET /extensions/{id}/resources`. */
export const extensionResourcesSchema = z.object({
  /** Why metrics are unavailable, or null. */
  unavailable: z.string().nullable(),
  /** Between samples while somebody reads them. */
  every_ms: z.number().int(),
  /** Between samples else. */
  unread_every_ms: z.number().int(),
  /** Memory limit (EXTENSION_MEMORY_MB). */
  memory_limit_bytes: z.number().int(),
  /** Oldest first; none while no process runs. */
  samples: z.array(resourceSampleSchema).max(LIMITS.resourceSamplesKept),
});
export type ExtensionResources = z.infer<typeof extensionResourcesSchema>;
