import { z } from 'zod';
import { LIMITS } from './limits.ts';
import { extensionLogLineSchema } from './extension.ts';

/** The query of `GET /extensions/{id}/logs`. */
export const extensionLogQuerySchema = z.strictObject({
  /** What an answer before gave as `cursor`: only lines after those. */
  after: z.string().max(200).optional(),
});
export type ExtensionLogQuery = z.infer<typeof extensionLogQuerySchema>;

export const extensionLogPageSchema = z.object({
  /** The revision whose log this is; null when nothing serves. */
  revision: z.number().int().nullable(),
  /** Oldest first. */
  lines: z.array(extensionLogLineSchema),
  cursor: z.string(),
  /** The log is another one than that of `after` (a new revision serves): these lines are from its beginning. */
  restarted: z.boolean(),
  /** How many lines between `after` (or the beginning) and these were dropped, since only the newest are kept. */
  dropped: z.number().int(),
});
export type ExtensionLogPage = z.infer<typeof extensionLogPageSchema>;

const resourceSampleSchema = z.object({
  at: z.iso.datetime(),
  revision: z.number().int(),
  /** Resident, of the process and all that it started. */
  memory_bytes: z.number(),
  /** Of one core, since the sample before; null for the first of a process. */
  cpu_percent: z.number().nullable(),
});
export type ResourceSample = z.infer<typeof resourceSampleSchema>;

/** What the processes of an extension used lately: the answer of `GET /extensions/{id}/resources`. */
export const extensionResourcesSchema = z.object({
  /** Why nothing is measured on this machine; null where it is. */
  unavailable: z.string().nullable(),
  every_ms: z.number().int(),
  /** At which the process is stopped (EXTENSION_MEMORY_MB). */
  memory_limit_bytes: z.number().int(),
  /** Oldest first, the newest so many that are kept; none are made while no process runs. */
  samples: z.array(resourceSampleSchema).max(LIMITS.resourceSamplesKept),
});
export type ExtensionResources = z.infer<typeof extensionResourcesSchema>;
